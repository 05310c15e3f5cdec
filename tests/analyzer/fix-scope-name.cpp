// RUN: %check_clang_tidy %s metasan-* %t --recheck -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

Net braces() {
  metasan::InitEmptyWeights{};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this 'InitEmptyWeights' object has no name and ends here
  // CHECK-FIXES: {{^}}  metasan::InitEmptyWeights scope;{{$}}
  Net model(8);
  model->eval();
  return model;
}
// "InitEmptyWeights scope()" would be a function.
std::shared_ptr<NetImpl> parentheses() {
  using namespace metasan;
  InitEmptyWeights();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this 'InitEmptyWeights' object has no name and ends here
  // CHECK-FIXES: {{^}}  InitEmptyWeights scope;{{$}}
  return std::make_shared<NetImpl>(8);
}
Net arguments(std::source_location where, bool c) {
  metasan::InitEmptyWeights(c ? where : std::source_location::current());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this 'InitEmptyWeights' object has no name
  // CHECK-FIXES: {{^}}  metasan::InitEmptyWeights scope{c ? where : std::source_location::current()};{{$}}
  return Net(8);
}
Net argumentsInBraces(std::source_location where) {
  metasan::InitEmptyWeights{where}; // kept
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this 'InitEmptyWeights' object has no name
  // CHECK-FIXES: {{^}}  metasan::InitEmptyWeights scope{where}; // kept{{$}}
  return Net(8);
}
Net makeNet(int scope2);
Net taken(int scope) {
  metasan::InitEmptyWeights{};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this 'InitEmptyWeights' object has no name
  // CHECK-FIXES: {{^}}  metasan::InitEmptyWeights scope2;{{$}}
  return makeNet(scope);
}
int scope = 8;
Net global() {
  metasan::InitEmptyWeights{};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this 'InitEmptyWeights' object has no name
  // CHECK-FIXES: {{^}}  metasan::InitEmptyWeights scope2;{{$}}
  return Net(scope);
}
Net twice() {
  metasan::InitEmptyWeights{};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this 'InitEmptyWeights' object has no name
  // CHECK-FIXES: {{^}}  metasan::InitEmptyWeights scope;{{$}}
  metasan::InitEmptyWeights{};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this 'InitEmptyWeights' object has no name
  // CHECK-FIXES: {{^}}  metasan::InitEmptyWeights scope2;{{$}}
  return Net(8);
}
void block(const std::string &file) {
  Net model{nullptr};
  {
    metasan::InitEmptyWeights{};
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this 'InitEmptyWeights' object has no name
    // CHECK-FIXES: {{^}}    metasan::InitEmptyWeights scope;{{$}}
    model = Net(8);
  }
  metasan::load_checkpoint_in_model(model, file);
}
struct Builder {
  int scope;
  Net build() {
    metasan::InitEmptyWeights{};
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this 'InitEmptyWeights' object has no name
    // CHECK-FIXES: {{^}}    metasan::InitEmptyWeights scope2;{{$}}
    return Net(8);
  }
};
