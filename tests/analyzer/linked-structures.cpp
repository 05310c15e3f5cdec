// A list or a tree has no end that can be seen: the analysis must have one.
// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>

bool more();
struct Entry {
  at::Tensor value;
  Entry *next, *left, *right;
};
void list(Entry *first) {
  at::Tensor last = torch::empty({1}, torch::kMeta);
  for (Entry *current = first; current; current = current->next)
    last = current->value;
  last.item();
}
void tree(Entry *root) {
  Entry *current = root;
  while (more()) {
    if (current->value.is_meta())
      current->value = torch::ones({1});
    current = more() ? current->left : more() ? current->right : current->next;
  }
  current->value.item();
}
void own() {
  Entry entry;
  entry.next = &entry;
  entry.value = torch::empty({1}, torch::kMeta);
  entry.next->next->value.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:27: warning: tensor 'entry.next->next->value' has no data
}
