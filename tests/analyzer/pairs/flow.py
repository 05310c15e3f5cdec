"""The flows through which an object becomes what it should not be, on the way from its source to its use.

Each flow is both twins at once, as a diff: lines marked "-" are only in the bad twin, lines marked "+" only in the
good one. Macros stand for what the defect fills in (defects.py):

  $x              the variable's name             $T              its type
  $bad(v)         declare v, bad                  $good(v)        declare v, good
  $empty(v)       declare v, neither: a handle    $spoil(v)       make v bad
  $fill(v)        make v good                     $replace(v)     let v be another object, a good one
  $bad_value      an expression that is bad       $good_value     one that is good
  $use(v)         what a bad v must not go into   $legal(v)       something like it that is right for a bad v too
  $guard(v)       true when v is good             $lacks(v)       true when it is not
  $field(v)       v as a member                   $global_variable(v) v at namespace scope
  $fill_in_place(v), $spoil_in_place(v)           every handle of the same object sees it

more(), next(), note() and may_throw() of the prelude are not defined: they answer anything, and know nothing of local
variables.
"""

FLOWS = {}

# One path.
FLOWS["straight"] = """
  void run() {
    $bad($x)
+   $fill($x)
    $use($x)
  }
"""
FLOWS["legal-use"] = """
  void run() {
    $bad($x)
-   $use($x)
+   $legal($x)
  }
"""
FLOWS["fill-comes-late"] = """
  void run() {
    $bad($x)
-   $use($x)
    $fill($x)
+   $use($x)
  }
"""
FLOWS["use-before-source"] = """
  void run() {
    $good($x)
+   $use($x)
    $spoil($x)
-   $use($x)
  }
"""
FLOWS["wrong-object"] = """
  void run() {
    $bad($x)
    $bad(other)
-   $fill(other)
+   $fill($x)
    $use($x)
  }
"""

# Branches.
FLOWS["branch"] = """
  void run(bool ready) {
    $bad($x)
    if (ready) {
      $fill($x)
+   } else {
+     $fill($x)
    }
    $use($x)
  }
"""
FLOWS["both-branches"] = """
  void run(bool large) {
    $empty($x)
    if (large) {
      $spoil($x)
+     $fill($x)
    } else {
-     $spoil($x)
+     $replace($x)
    }
    $use($x)
  }
"""
FLOWS["nested-branches"] = """
  void run(bool first, bool second) {
    $bad($x)
    if (first) {
      if (second) {
        $fill($x)
      } else {
        note();
+       $fill($x)
      }
    } else {
      $fill($x)
    }
    $use($x)
  }
"""
FLOWS["else-if-chain"] = """
  void run(int kind) {
    $bad($x)
    if (kind == 0) {
      $fill($x)
    } else if (kind == 1) {
      $fill($x)
-   } else if (kind == 2) {
+   } else {
      $fill($x)
    }
    $use($x)
  }
"""
FLOWS["ternary"] = """
  void run(bool lazy) {
    $bad(broken)
    $good(whole)
    $T $x = lazy ? broken : whole;
-   $use($x)
+   $use(whole)
  }
"""
FLOWS["correlated-ternary"] = """
  void run(bool lazy) {
    $bad(broken)
    $good(whole)
    $T $x = lazy ? broken : whole;
-   if (lazy) {
+   if (!lazy) {
      $use($x)
    }
  }
"""
FLOWS["switch"] = """
  void run(int kind) {
    $bad($x)
    switch (kind) {
    case 0:
      $fill($x)
      break;
    case 1:
      note();
-     break;
+     [[fallthrough]];
    default:
      $fill($x)
      break;
    }
    $use($x)
  }
"""
FLOWS["switch-without-default"] = """
  void run(int kind) {
    $bad($x)
    switch (kind) {
    case 0:
    case 1:
      $fill($x)
      break;
+   default:
+     return;
    }
    $use($x)
  }
"""
FLOWS["goto"] = """
  void run(bool skip) {
    $bad($x)
    if (skip) {
      goto out;
    }
    $fill($x)
- out:
    $use($x)
+ out:
+   note();
  }
"""
FLOWS["goto-backwards"] = """
  void run() {
    $bad($x)
- again:
+   goto check;
+ again:
    $use($x)
+ check:
    $fill($x)
    if (more()) {
      goto again;
    }
  }
"""
FLOWS["early-return"] = """
  void run(bool fast) {
    $bad($x)
    if (fast) {
-     $use($x)
+     note();
      return;
    }
    $fill($x)
    $use($x)
  }
"""
FLOWS["return-when-not-filled"] = """
  void run(bool ready) {
    $bad($x)
    if (ready) {
      $fill($x)
    } else {
-     note();
+     return;
    }
    $use($x)
  }
"""
FLOWS["throw-when-not-filled"] = """
  void run(bool ready) {
    $bad($x)
    if (ready) {
      $fill($x)
    } else {
-     note();
+     throw std::runtime_error("not ready");
    }
    $use($x)
  }
"""

# Loops.
FLOWS["loop-may-not-run"] = """
  void run() {
    $bad($x)
-   while (more()) {
+   do {
      $fill($x)
-   }
+   } while (more());
    $use($x)
  }
"""
FLOWS["loop-break"] = """
  void run() {
    $bad($x)
    for (;;) {
-     if (!more()) {
-       break;
-     }
      $fill($x)
+     if (!more()) {
+       break;
+     }
    }
    $use($x)
  }
"""
FLOWS["loop-continue"] = """
  void run() {
    while (more()) {
      $bad($x)
      if (more()) {
        $fill($x)
      } else {
-       note();
+       continue;
      }
      $use($x)
    }
  }
"""
FLOWS["back-edge"] = """
  void run() {
    $good($x)
    while (more()) {
      $use($x)
      $spoil($x)
+     $fill($x)
    }
  }
"""
FLOWS["nested-loops"] = """
  void run(int rows, int columns) {
    $good($x)
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        $use($x)
      }
      $spoil($x)
+     $fill($x)
    }
  }
"""
FLOWS["switch-in-a-loop"] = """
  void run() {
    $good($x)
    while (more()) {
      switch (next()) {
      case 0:
        $spoil($x)
-       break;
+       [[fallthrough]];
      case 1:
        $fill($x)
        break;
      default:
        $use($x)
        break;
      }
    }
  }
"""
FLOWS["rounds-of-a-loop"] = """
  void run(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      $bad($x)
      note();
+     $fill($x)
      $use($x)
    }
  }
"""

# Exceptions.
FLOWS["exception"] = """
  void run() {
    $bad($x)
    try {
      may_throw();
      $fill($x)
    } catch (...) {
-     note();
+     return;
    }
    $use($x)
  }
"""
FLOWS["handler"] = """
  void run() {
    $bad($x)
    try {
      may_throw();
      $fill($x)
    } catch (const std::exception&) {
+     $fill($x)
      $use($x)
    }
  }
"""
FLOWS["rethrow"] = """
  void run() {
    $bad($x)
    try {
      may_throw();
      $fill($x)
    } catch (const std::exception&) {
      note();
+     throw;
    }
    $use($x)
  }
"""

# Places: members, elements, and ways to the same object.
FLOWS["field"] = """
  struct Holder {
    $field($x)
    int steps = 0;
  };
  void run() {
    Holder holder;
    $spoil(holder.$x)
+   $fill(holder.$x)
    holder.steps = 1;
    $use(holder.$x)
  }
"""
FLOWS["wrong-field"] = """
  struct Holder {
    $field(first)
    $field(second)
  };
  void run() {
    Holder holder;
    $spoil(holder.first)
    $spoil(holder.second)
-   $fill(holder.second)
+   $fill(holder.first)
    $use(holder.first)
  }
"""
FLOWS["nested-fields"] = """
  struct Inner {
    $field($x)
  };
  struct Outer {
    Inner inner;
    Inner spare;
  };
  void run() {
    Outer outer;
    $spoil(outer.inner.$x)
-   $replace(outer.spare.$x)
+   $replace(outer.inner.$x)
    $use(outer.inner.$x)
  }
"""
FLOWS["struct-copy"] = """
  struct Holder {
    $field($x)
  };
  void run() {
    Holder first;
    $spoil(first.$x)
    Holder second = first;
-   $replace(first.$x)
+   $replace(second.$x)
    $use(second.$x)
  }
"""
FLOWS["struct-assigned"] = """
  struct Holder {
    $field($x)
  };
  void run() {
    Holder first;
    $spoil(first.$x)
    Holder second;
    $replace(second.$x)
-   second = first;
+   first = second;
    $use(second.$x)
  }
"""
FLOWS["aggregate"] = """
  struct Holder {
    $T first;
    $T second;
  };
  void run() {
    $bad(broken)
    $good(whole)
    Holder holder{broken, whole};
-   $use(holder.first)
+   $use(holder.second)
  }
"""
FLOWS["array"] = """
  void run() {
    $bad(broken)
    $good(whole)
    $T all[2] = {broken, whole};
-   $use(all[0])
+   $use(all[1])
  }
"""
FLOWS["array-element-assigned"] = """
  void run() {
    $bad(broken)
    $good(whole)
    $T all[2] = {broken, broken};
-   all[1] = whole;
+   all[0] = whole;
    $use(all[0])
  }
"""
FLOWS["vector"] = """
  void run() {
    $bad($x)
+   $fill($x)
    std::vector<$T> all;
    all.push_back($x);
    $use(all[0])
  }
"""
FLOWS["vector-in-a-loop"] = """
  void run() {
    $bad(first)
    $bad(second)
    std::vector<$T> all{first, second};
+   for (auto& each : all) {
+     $fill(each)
+   }
    for (auto& each : all) {
      $use(each)
    }
  }
"""
FLOWS["alias"] = """
  void run() {
    $bad($x)
    $T other = $x;
-   $replace(other)
+   $replace($x)
    $use($x)
  }
"""
FLOWS["alias-used"] = """
  void run() {
    $bad($x)
    $T other = $x;
+   $replace(other)
    $replace($x)
    $use(other)
  }
"""
FLOWS["alias-filled-in-place"] = """
  void run() {
    $bad($x)
-   $good(other)
+   $T other = $x;
    $fill_in_place(other)
    $use($x)
  }
"""
FLOWS["alias-spoiled-in-place"] = """
  void run() {
    $good($x)
-   $T other = $x;
+   $good(other)
    $spoil_in_place(other)
    $use($x)
  }
"""
FLOWS["reference"] = """
  void run() {
    $bad($x)
-   $T other = $x;
+   $T& other = $x;
    $replace(other)
    $use($x)
  }
"""
FLOWS["pointer"] = """
  void run() {
    $bad($x)
    $good(other)
-   $T* target = &other;
+   $T* target = &$x;
    $replace(*target)
    $use($x)
  }
"""
FLOWS["pointer-used"] = """
  void run() {
    $bad(broken)
    $good(whole)
-   const $T* chosen = &broken;
+   const $T* chosen = &whole;
    $T $x = *chosen;
    $use($x)
  }
"""
FLOWS["unique-pointer"] = """
  void run() {
    $bad(broken)
    $good(whole)
    auto owned = std::make_unique<$T>(broken);
+   *owned = whole;
    $use((*owned))
  }
"""
FLOWS["optional"] = """
  void run() {
    $bad(broken)
    $good(whole)
    std::optional<$T> held = broken;
+   held = whole;
    $use((*held))
  }
"""
FLOWS["move"] = """
  void run() {
    $bad(source)
    $T $x = std::move(source);
-   $replace(source)
+   $replace($x)
    $use($x)
  }
"""
FLOWS["swap"] = """
  void run() {
    $bad($x)
    $good(other)
    std::swap($x, other);
-   $use(other)
+   $use($x)
  }
"""
FLOWS["pair"] = """
  void run() {
    $bad($x)
+   $fill($x)
    auto named = std::make_pair($x, 1);
    $use(named.first)
  }
"""
FLOWS["structured-binding"] = """
  void run() {
    $bad(broken)
    $good(whole)
-   std::pair<$T, $T> both{broken, whole};
+   std::pair<$T, $T> both{whole, broken};
    auto [first, second] = both;
    $use(first)
  }
"""
FLOWS["global"] = """
  $global_variable($x)
  void run() {
    $spoil($x)
+   $fill($x)
    $use($x)
  }
"""

# Lambdas.
FLOWS["lambda-captures-a-copy"] = """
  void run() {
    $bad($x)
-   auto fill = [$x]() mutable {
+   auto fill = [&$x] {
      $replace($x)
    };
    fill();
    $use($x)
  }
"""
FLOWS["lambda-fills-in-place"] = """
  void run() {
    $bad($x)
    $good(other)
-   auto fill = [other]() mutable {
-     $fill_in_place(other)
+   auto fill = [$x]() mutable {
+     $fill_in_place($x)
    };
    fill();
    $use($x)
  }
"""
FLOWS["lambda-called-on-a-branch"] = """
  void run(bool eager) {
    $bad($x)
    auto fill = [&] {
      $fill($x)
    };
-   if (eager) {
-     fill();
-   }
+   fill();
    $use($x)
  }
"""
FLOWS["lambda-called-too-soon"] = """
  void run() {
    $bad($x)
    auto consume = [&] {
      $use($x)
    };
-   consume();
    $fill($x)
+   consume();
  }
"""
FLOWS["lambda-parameter"] = """
  void run() {
    $bad($x)
    auto consume = []($T& given) {
      $use(given)
    };
+   $fill($x)
    consume($x);
  }
"""
FLOWS["lambda-result"] = """
  void run() {
    auto make = [] {
      $bad(made)
+     $fill(made)
      return made;
    };
    $T $x = make();
    $use($x)
  }
"""
FLOWS["immediate-lambda"] = """
  void run(bool ready) {
    $bad($x)
    [&] {
-     if (!ready) {
-       return;
-     }
      $fill($x)
    }();
    $use($x)
  }
"""
FLOWS["immediate-lambda-initializes"] = """
  void run(bool ready) {
    const $T $x = [&] {
      $bad(made)
-     if (ready) {
-       $fill(made)
-     }
+     $fill(made)
      return made;
    }();
    $T held = $x;
    $use(held)
  }
"""

# Helper functions.
FLOWS["helper-makes"] = """
  $T make() {
    $bad(made)
+   $fill(made)
    return made;
  }
  void run() {
    $T $x = make();
    $use($x)
  }
"""
FLOWS["helper-takes-a-copy"] = """
- void provide($T target) {
+ void provide($T& target) {
    $replace(target)
  }
  void run() {
    $bad($x)
    provide($x);
    $use($x)
  }
"""
FLOWS["helper-fills-in-place"] = """
  void provide($T target) {
-   $replace(target)
+   $fill_in_place(target)
  }
  void run() {
    $bad($x)
    provide($x);
    $use($x)
  }
"""
FLOWS["helper-may-fill"] = """
  void provide($T& target, bool ready) {
    if (ready) {
      $fill(target)
+   } else {
+     $replace(target)
    }
  }
  void run(bool ready) {
    $bad($x)
    provide($x, ready);
    $use($x)
  }
"""
FLOWS["helper-says-whether"] = """
  bool provide($T& target) {
    if (more()) {
      $fill(target)
      return true;
    }
    return false;
  }
  void run() {
    $bad($x)
-   if (!provide($x)) {
+   if (provide($x)) {
      $use($x)
    }
  }
"""
FLOWS["helper-uses"] = """
  void consume($T& given) {
    $use(given)
  }
  void run() {
    $bad($x)
+   $fill($x)
    consume($x);
  }
"""
FLOWS["helper-spoils"] = """
  void reset($T& target, bool all) {
    if (all) {
      $spoil(target)
+     $fill(target)
    }
  }
  void run(bool all) {
    $good($x)
    reset($x, all);
    $use($x)
  }
"""
FLOWS["helper-chain"] = """
  $T make() {
    $bad(made)
    return made;
  }
  $T prepare() {
    $T made = make();
+   $fill(made)
    return made;
  }
  void consume($T& given) {
    $use(given)
  }
  void pass_on($T& given) {
    consume(given);
  }
  void run() {
    $T $x = prepare();
    pass_on($x);
  }
"""
FLOWS["helper-passes-through"] = """
  const $T& same(const $T& given) {
    return given;
  }
  void run() {
    $bad(broken)
    $good(whole)
-   $T $x = same(broken);
+   $T $x = same(whole);
    $use($x)
  }
"""
FLOWS["helper-in-a-template"] = """
  template <class Scale> void consume($T& given, Scale scale) {
    keep(scale);
    $use(given)
  }
  void run() {
    $bad($x)
+   $fill($x)
    consume($x, 0.5);
  }
"""
FLOWS["template-applies-a-function"] = """
  template <class Function> void apply($T& target, Function function) {
    function(target);
  }
  void run() {
    $bad($x)
    apply($x, []($T& target) {
-     $legal(target)
+     $fill(target)
    });
    $use($x)
  }
"""
FLOWS["helper-not-visible"] = """
  void provide($T& target);
  void run() {
    $bad($x)
-   note();
+   provide($x);
    $use($x)
  }
"""
FLOWS["virtual-call"] = """
  struct Source {
    virtual ~Source() = default;
    virtual void provide($T& target) {
      $fill(target)
    }
  };
  struct Lazy final : Source {
    void provide($T&) override {
      note();
    }
  };
  void run() {
    $bad($x)
-   Lazy source;
+   Source source;
    source.provide($x);
    $use($x)
  }
"""
FLOWS["member-function"] = """
  struct Runner {
    $field($x)
    void build() {
      $spoil($x)
    }
    void provide() {
      $fill($x)
    }
    void run() {
      build();
+     provide();
      $use($x)
    }
  };
"""
FLOWS["member-functions-from-outside"] = """
  struct Runner {
    $field($x)
    void build() {
      $spoil($x)
    }
    void provide() {
      $fill($x)
    }
    void consume() {
      $use($x)
    }
  };
  void run() {
    Runner runner;
    runner.build();
-   runner.consume();
    runner.provide();
+   runner.consume();
  }
"""
FLOWS["constructor"] = """
  struct Runner {
    $field($x)
    Runner() {
      $spoil($x)
+     $fill($x)
      $use($x)
    }
  };
"""
FLOWS["constructor-initializer"] = """
  struct Runner {
    $T $x;
    Runner() : $x($bad_value) {
+     $fill($x)
      $use($x)
    }
  };
"""
FLOWS["member-initializer"] = """
  struct Runner {
    $T $x = $bad_value;
    explicit Runner(bool ready) {
      if (ready) {
        $fill($x)
+     } else {
+       return;
      }
      $use($x)
    }
  };
"""
FLOWS["constructor-from-outside"] = """
  struct Runner {
    $field($x)
    explicit Runner(const $T& given) : $x(given) {}
    void consume() {
      $use($x)
    }
  };
  void run() {
    $bad(broken)
    $good(whole)
-   Runner runner(broken);
+   Runner runner(whole);
    runner.consume();
  }
"""

# The scope, in one function and over others.
FLOWS["scope-in-another-function"] = """
  $T build() {
+   {
      metasan::InitEmptyWeights scope;
-     return $good_value;
+     keep($good_value);
+   }
+   return $good_value;
  }
  void run() {
    $T $x = build();
    $use($x)
  }
"""
FLOWS["scope-around-a-call"] = """
  $T build() {
    return $good_value;
  }
  void run() {
    $empty($x)
    {
      metasan::InitEmptyWeights scope;
-     $x = build();
+     note();
    }
+   $x = build();
    $use($x)
  }
"""
FLOWS["scope-on-a-branch"] = """
  void run(bool lazy) {
    $empty($x)
    if (lazy) {
      metasan::InitEmptyWeights scope;
      $x = $good_value;
    } else {
      $x = $good_value;
    }
-   if (lazy) {
+   if (!lazy) {
      $use($x)
    }
  }
"""

# Questions about the state, and flags that stand for it.
FLOWS["guard"] = """
  void run(bool ready) {
    $bad($x)
    if (ready) {
      $fill($x)
    }
-   if (ready || $lacks($x)) {
+   if ($guard($x)) {
      $use($x)
    }
  }
"""
FLOWS["disjunction-is-no-guard"] = """
  void run(bool ready, bool forced) {
    $bad($x)
    if (ready) {
      $fill($x)
    }
-   if (forced || $guard($x)) {
+   if (forced && $guard($x)) {
      $use($x)
    }
  }
"""
FLOWS["guard-the-wrong-way-round"] = """
  void run(bool ready) {
    $bad($x)
    if (ready) {
      $fill($x)
    }
    if ($guard($x)) {
-     note();
-   } else {
      $use($x)
+   } else {
+     note();
    }
  }
"""
FLOWS["guard-of-another-object"] = """
  void run() {
    $bad($x)
    $good(other)
-   if ($guard(other)) {
+   if ($guard(other) && $guard($x)) {
      $use($x)
    }
  }
"""
FLOWS["guard-returns"] = """
  void run(bool strict) {
    $bad($x)
    if (strict) {
      $fill($x)
    }
-   if (strict && $lacks($x)) {
+   if ($lacks($x)) {
      return;
    }
    $use($x)
  }
"""
FLOWS["guard-fills"] = """
  void run(bool ready) {
    $bad($x)
    if (ready) {
      $fill($x)
    }
    if ($lacks($x)) {
-     note();
+     $fill($x)
    }
    $use($x)
  }
"""
FLOWS["guard-in-a-check"] = """
  void run(bool ready) {
    $bad($x)
    if (ready) {
      $fill($x)
    }
-   TORCH_CHECK(ready || more(), "not ready");
+   TORCH_CHECK($guard($x), "not ready");
    $use($x)
  }
"""
FLOWS["guard-in-a-helper"] = """
  bool is_ready(const $T& given) {
    return $guard(given);
  }
  void run(bool ready) {
    $bad($x)
    if (ready) {
      $fill($x)
    }
-   if (!is_ready($x)) {
+   if (is_ready($x)) {
      $use($x)
    }
  }
"""
FLOWS["bool-guard"] = """
  void run(bool ready) {
    $bad($x)
    if (ready) {
      $fill($x)
    }
    const bool usable = $guard($x);
    note();
-   if (!usable) {
+   if (usable) {
      $use($x)
    }
  }
"""
FLOWS["stale-guard"] = """
  void run() {
    $good($x)
-   const bool usable = $guard($x);
    $spoil($x)
+   const bool usable = $guard($x);
    if (usable) {
      $use($x)
    }
  }
"""
FLOWS["flag"] = """
  void run(bool available) {
    $bad($x)
    bool ready = false;
    if (available) {
      $fill($x)
+     ready = true;
    }
-   ready = true;
    if (ready) {
      $use($x)
    }
  }
"""
FLOWS["flag-in-a-loop"] = """
  void run() {
    $bad($x)
    bool ready = false;
    while (more()) {
-     if (ready) {
+     if (!ready) {
        $fill($x)
        ready = true;
      }
      $use($x)
    }
  }
"""
FLOWS["correlated-branches"] = """
  void run(bool ready) {
    $bad($x)
    if (ready) {
      $fill($x)
    }
    note();
-   if (!ready) {
+   if (ready) {
      $use($x)
    }
  }
"""
FLOWS["correlated-comparisons"] = """
  void run(int count) {
    $bad($x)
    if (count > 0) {
      $fill($x)
    }
-   if (count <= 0) {
+   if (count > 0) {
      $use($x)
    }
  }
"""
FLOWS["condition-changed-in-between"] = """
  void run(bool ready) {
    $bad($x)
    if (ready) {
      $fill($x)
    }
-   ready = true;
+   note();
    if (ready) {
      $use($x)
    }
  }
"""

# What is computed from a tensor has data when the tensor has.
FLOWS["view"] = """
  void run() {
    $bad(source)
+   $fill(source)
    $T $x = source.view({4, 4}).t();
    $use($x)
  }
"""
FLOWS["view-of-what-is-filled-later"] = """
  void run() {
    $bad(source)
    $T $x = source.view({4, 4});
-   $replace(source)
+   $fill_in_place(source)
    $use($x)
  }
"""
