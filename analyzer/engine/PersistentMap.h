//===- PersistentMap.h - A map whose copies share what they have in common ---===//
//
// A radix tree over small numbers. A copy costs nothing until one of the two is changed, and then
// as much as the change; two maps with a common past are compared in the time of their differences.
// That is what a fixpoint over a large function lives on: every block has a state of its own, which
// differs from its neighbours' in a few places.
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_ENGINE_PERSISTENT_MAP_H
#define METASAN_ANALYZER_ENGINE_PERSISTENT_MAP_H

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace metasan::analysis {

template <typename Value> class PersistentMap {
public:
  /// Null when there is nothing under the number.
  const Value *find(unsigned Key) const {
    if (!Root || (Key >> capacity(Height)) != 0)
      return nullptr;
    const void *Page = Root.get();
    for (unsigned Level = Height; Level > 0; --Level) {
      Page = static_cast<const Branch *>(Page)->Kids[slot(Key, Level)].get();
      if (!Page)
        return nullptr;
    }
    const std::optional<Value> &Found = static_cast<const Leaf *>(Page)->Values[slot(Key, 0)];
    return Found ? &*Found : nullptr;
  }
  bool contains(unsigned Key) const { return find(Key) != nullptr; }

  void set(unsigned Key, Value New) {
    while (!Root || (Key >> capacity(Height)) != 0)
      grow();
    *writable(Key) = std::move(New);
  }
  void erase(unsigned Key) {
    if (contains(Key))
      writable(Key)->reset();
  }

  /// In the order of the numbers.
  std::vector<std::pair<unsigned, Value>> entries() const {
    std::vector<std::pair<unsigned, Value>> Result;
    compare(nullptr, Root.get(), Height, 0, [&](unsigned Key, const Value *, const Value *Theirs) {
      Result.push_back({Key, *Theirs});
    });
    return Result;
  }

  /// The numbers under which the two may differ, with what they have there.
  template <typename Callback>
  static void differences(PersistentMap &Left, PersistentMap &Right, Callback Found) {
    while (Left.Height < Right.Height)
      Left.grow();
    while (Right.Height < Left.Height)
      Right.grow();
    compare(Left.Root.get(), Right.Root.get(), Left.Height, 0, Found);
  }

private:
  static constexpr unsigned LeafBits = 3, BranchBits = 4;
  struct Leaf {
    std::array<std::optional<Value>, 1u << LeafBits> Values;
  };
  struct Branch {
    std::array<std::shared_ptr<void>, 1u << BranchBits> Kids;
  };

  static constexpr unsigned capacity(unsigned Height) { return LeafBits + Height * BranchBits; }
  static constexpr unsigned slot(unsigned Key, unsigned Level) {
    return Level == 0 ? Key & ((1u << LeafBits) - 1)
                      : (Key >> capacity(Level - 1)) & ((1u << BranchBits) - 1);
  }

  void grow() {
    if (!Root) {
      Root = std::make_shared<Leaf>();
      return;
    }
    auto Higher = std::make_shared<Branch>();
    Higher->Kids[0] = std::move(Root);
    Root = std::move(Higher);
    ++Height;
  }

  /// Makes a page this map's own: one that others have too must not change under them.
  template <typename Page> static Page &own(std::shared_ptr<void> &Shared) {
    if (!Shared)
      Shared = std::make_shared<Page>();
    else if (Shared.use_count() > 1)
      Shared = std::make_shared<Page>(*static_cast<const Page *>(Shared.get()));
    return *static_cast<Page *>(Shared.get());
  }
  std::optional<Value> *writable(unsigned Key) {
    std::shared_ptr<void> *Page = &Root;
    for (unsigned Level = Height; Level > 0; --Level)
      Page = &own<Branch>(*Page).Kids[slot(Key, Level)];
    return &own<Leaf>(*Page).Values[slot(Key, 0)];
  }

  template <typename Callback>
  static void compare(const void *Left, const void *Right, unsigned Level, unsigned Prefix,
                      Callback &&Found) {
    if (Left == Right)
      return;
    if (Level == 0) {
      const auto *Mine = static_cast<const Leaf *>(Left),
                 *Theirs = static_cast<const Leaf *>(Right);
      for (unsigned Slot = 0; Slot < (1u << LeafBits); ++Slot) {
        auto At = [Slot](const Leaf *Page) {
          return Page && Page->Values[Slot] ? &*Page->Values[Slot] : nullptr;
        };
        if (At(Mine) || At(Theirs))
          Found(Prefix + Slot, At(Mine), At(Theirs));
      }
      return;
    }
    const auto *Mine = static_cast<const Branch *>(Left),
               *Theirs = static_cast<const Branch *>(Right);
    for (unsigned Slot = 0; Slot < (1u << BranchBits); ++Slot)
      compare(Mine ? Mine->Kids[Slot].get() : nullptr, Theirs ? Theirs->Kids[Slot].get() : nullptr,
              Level - 1, Prefix + (Slot << capacity(Level - 1)), Found);
  }

  std::shared_ptr<void> Root;
  unsigned Height = 0; ///< of the branches above the leaves
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_ENGINE_PERSISTENT_MAP_H
