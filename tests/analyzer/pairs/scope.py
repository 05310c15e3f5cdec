"""The pairs of scope-misuse: not an object goes wrong here, but what happens while an empty-weights scope is open.

Flows are diffs as in flow.py. Macros:

  $event(m)   what must not happen while a scope is open, in or with module m
  $legal(m)   something like it that may
  $helpers    functions that the event calls

The flows of the unnamed scope object are a table of their own: there, the event is the object itself.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Event:
    name: str
    event: str
    legal: str = ""
    helpers: str = ""
    # A member of a module can do it with *this.
    in_constructor: bool = True

    @property
    def is_table(self):
        return bool(self.helpers)


TABLE = """const torch::Tensor& table() {{
  static const torch::Tensor values = {};
  return values;
}}
const torch::Tensor& constants() {{
  static const torch::Tensor values = torch::tensor({{1.f, 2.f}});
  return values;
}}"""
TABLE_MEMBER = """struct Table {{
  static const torch::Tensor& values() {{
    static torch::Tensor made = {};
    return made;
  }}
  static const torch::Tensor& constants() {{
    static torch::Tensor made = torch::tensor({{1.f, 2.f}});
    return made;
  }}
}};"""

EVENTS = [
    Event("load", 'metasan::load_checkpoint_in_model($, "net.safetensors");', "metasan::name_tensors($);"),
    Event(
        "random_item",
        "keep(torch::rand({1}).item<float>());",
        "keep(torch::linspace(0, 1, 4)[1].item<float>());",
    ),
    Event("static_table", "keep(table());", "keep(constants());", TABLE.format("torch::arange(4)")),
    Event(
        "parameter_item",
        "{\n  torch::nn::Linear probe(4, 4);\n  keep(probe->weight.norm().item<float>());\n}",
        "{\n  torch::nn::Linear probe(4, 4);\n  keep(probe->weight.norm());\n}",
    ),
    Event("native_load", 'torch::load($, "net.pt");', in_constructor=False),
    Event(
        "load_and_dispatch",
        'metasan::load_checkpoint_and_dispatch($, "net.safetensors", torch::kCPU);',
    ),
    Event(
        "random_condition",
        "if (torch::randn({4}).sum().item<float>() > 0) {\n  note();\n}",
        "if (torch::full({1}, 2).item<float>() > 0) {\n  note();\n}",
    ),
    Event(
        "static_member_table",
        "keep(Table::values());",
        "keep(Table::constants());",
        TABLE_MEMBER.format("torch::full({4}, 2)"),
    ),
]

# Which events a flow is not for, with the reason.
UNFIT = {
    "legal": (lambda event: not event.legal, "nothing like it is right under a scope"),
    "table-reached-before": (lambda event: not event.is_table, "only a static is made once"),
    "back-edge": (lambda event: event.is_table, "a static is made in the first round, before the scope is open"),
    "constructor": (lambda event: not event.in_constructor, "torch::load takes no *this"),
    "constructor-under-a-builder": (lambda event: not event.in_constructor, "torch::load takes no *this"),
}

FLOWS = {}

FLOWS["straight"] = """
  $helpers
  void run() {
    Net model{nullptr};
-   metasan::InitEmptyWeights scope;
-   model = Net();
+   {
+     metasan::InitEmptyWeights scope;
+     model = Net();
+   }
    $event(model)
  }
"""
FLOWS["legal"] = """
  $helpers
  void run() {
    metasan::InitEmptyWeights scope;
    Net model;
-   $event(model)
+   $legal(model)
  }
"""
FLOWS["event-comes-first"] = """
  $helpers
  void run(Net& model) {
+   $event(model)
    metasan::InitEmptyWeights scope;
-   $event(model)
    keep(Net());
  }
"""
FLOWS["table-reached-before"] = """
  $helpers
  void run() {
+   $event(model)
    metasan::InitEmptyWeights scope;
    $event(model)
    keep(Net());
  }
"""
FLOWS["branch"] = """
  $helpers
  void run(bool lazy) {
    Net model{nullptr};
    std::optional<metasan::InitEmptyWeights> scope;
    if (lazy) {
      scope.emplace();
    }
    model = Net();
+   scope.reset();
    $event(model)
  }
"""
FLOWS["reset-on-one-branch"] = """
  $helpers
  void run(bool lazy) {
    auto scope = std::make_unique<metasan::InitEmptyWeights>();
    Net model;
    if (lazy) {
      scope.reset();
    } else {
-     note();
+     scope.reset();
    }
    $event(model)
  }
"""
FLOWS["scope-in-one-branch"] = """
  $helpers
  void run(bool lazy) {
    Net model{nullptr};
    if (lazy) {
      metasan::InitEmptyWeights scope;
      model = Net();
-     $event(model)
    } else {
      model = Net();
    }
+   $event(model)
  }
"""
FLOWS["correlated-branches"] = """
  $helpers
  void run(bool lazy) {
    std::optional<metasan::InitEmptyWeights> scope;
    if (lazy) {
      scope.emplace();
    }
    Net model;
-   if (lazy) {
+   if (!lazy) {
      $event(model)
    }
  }
"""
FLOWS["asks-the-scope-object"] = """
  $helpers
  void run(bool lazy) {
    std::optional<metasan::InitEmptyWeights> scope;
    if (lazy) {
      scope.emplace();
    }
    Net model;
-   if (scope) {
+   if (!scope) {
      $event(model)
    }
  }
"""
FLOWS["loop"] = """
  $helpers
  void run() {
    while (more()) {
      Net model{nullptr};
-     metasan::InitEmptyWeights scope;
-     model = Net();
+     {
+       metasan::InitEmptyWeights scope;
+       model = Net();
+     }
      $event(model)
    }
  }
"""
FLOWS["back-edge"] = """
  $helpers
  void run(Net& model) {
    std::unique_ptr<metasan::InitEmptyWeights> scope;
    while (more()) {
      $event(model)
      scope = std::make_unique<metasan::InitEmptyWeights>();
      model = Net();
+     scope.reset();
    }
  }
"""
FLOWS["loop-break"] = """
  $helpers
  void run() {
    Net model{nullptr};
    while (more()) {
      metasan::InitEmptyWeights scope;
      model = Net();
      if (more()) {
-       $event(model)
        break;
      }
    }
+   model = Net();
+   $event(model)
  }
"""
FLOWS["switch"] = """
  $helpers
  void run(int kind) {
    Net model;
    switch (kind) {
    case 0: {
      metasan::InitEmptyWeights scope;
      model = Net();
-     $event(model)
      break;
    }
    default:
      model = Net();
      break;
    }
+   $event(model)
  }
"""
FLOWS["goto"] = """
  $helpers
  void run(bool skip) {
    Net model;
-   metasan::InitEmptyWeights scope;
    {
+     metasan::InitEmptyWeights scope;
      model = Net();
      if (skip) {
        goto out;
      }
      note();
    }
  out:
    $event(model)
  }
"""
FLOWS["early-return"] = """
  $helpers
  void run(bool fast) {
    Net model{nullptr};
    {
      metasan::InitEmptyWeights scope;
      model = Net();
      if (fast) {
-       $event(model)
        return;
      }
    }
    $event(model)
  }
"""
FLOWS["exception"] = """
  $helpers
  void run() {
    Net model;
-   metasan::InitEmptyWeights scope;
    try {
+     metasan::InitEmptyWeights scope;
      model = Net();
      may_throw();
    } catch (const std::exception&) {
      $event(model)
    }
  }
"""
FLOWS["nested-scopes"] = """
  $helpers
  void run() {
    Net model{nullptr};
    {
      metasan::InitEmptyWeights outer;
      {
        metasan::InitEmptyWeights inner;
        model = Net();
      }
-     $event(model)
    }
+   $event(model)
  }
"""
FLOWS["builder"] = """
  $helpers
  void run() {
    auto model = metasan::init_empty_weights([] {
      Net made;
-     $event(made)
      return made;
    });
+   $event(model)
  }
"""
FLOWS["lambda"] = """
  $helpers
  void run() {
    Net model;
    auto finish = [&] {
      $event(model)
    };
    {
      metasan::InitEmptyWeights scope;
      model = Net();
-     finish();
    }
+   finish();
  }
"""
FLOWS["immediate-lambda"] = """
  $helpers
  void run() {
    Net model;
    [&] {
      metasan::InitEmptyWeights scope;
      model = Net();
-     $event(model)
    }();
+   $event(model)
  }
"""
FLOWS["helper"] = """
  $helpers
  void finish(Net& model) {
    $event(model)
  }
  void run() {
    Net model;
    {
      metasan::InitEmptyWeights scope;
      model = Net();
-     finish(model);
    }
+   finish(model);
  }
"""
FLOWS["helper-chain"] = """
  $helpers
  void finish(Net& model) {
    $event(model)
  }
  void prepare(Net& model) {
    note();
    finish(model);
  }
  void run() {
    Net model;
-   metasan::InitEmptyWeights scope;
+   {
+     metasan::InitEmptyWeights scope;
+     model = Net();
+   }
    prepare(model);
  }
"""
FLOWS["helper-on-a-branch"] = """
  $helpers
  void finish(Net& model, bool now) {
    if (now) {
      $event(model)
    }
  }
  void run() {
    Net model;
    metasan::InitEmptyWeights scope;
-   finish(model, true);
+   finish(model, false);
  }
"""
FLOWS["helper-in-a-template"] = """
  $helpers
  template <class Model> void finish(Model& model) {
    $event(model)
  }
  void run() {
    Net model;
    {
      metasan::InitEmptyWeights scope;
      model = Net();
-     finish(model);
    }
+   finish(model);
  }
"""
FLOWS["helper-opens-the-scope"] = """
  $helpers
- std::unique_ptr<metasan::InitEmptyWeights> open(Net& model) {
-   auto scope = std::make_unique<metasan::InitEmptyWeights>();
+ int open(Net& model) {
+   metasan::InitEmptyWeights scope;
    model = Net();
-   return scope;
+   return 1;
  }
  void run() {
    Net model;
    auto scope = open(model);
    $event(model)
  }
"""
FLOWS["helper-closes-the-scope"] = """
  $helpers
  void close(std::unique_ptr<metasan::InitEmptyWeights>& scope, bool now) {
-   if (now) {
-     scope.reset();
-   }
+   scope.reset();
  }
  void run(bool now) {
    auto scope = std::make_unique<metasan::InitEmptyWeights>();
    Net model;
    close(scope, now);
    $event(model)
  }
"""
FLOWS["virtual-call"] = """
  $helpers
  struct Step {
    virtual ~Step() = default;
    virtual void apply(Net&) {
      note();
    }
  };
  struct Finish final : Step {
    void apply(Net& model) override {
      $event(model)
    }
  };
  void run() {
    metasan::InitEmptyWeights scope;
    Net model;
-   Finish step;
+   Step step;
    step.apply(model);
  }
"""
FLOWS["member-function"] = """
  $helpers
  struct Runner {
    Net model;
    void finish() {
      $event(model)
    }
    void run() {
      {
        metasan::InitEmptyWeights scope;
        model = Net();
-       finish();
      }
+     finish();
    }
  };
"""
FLOWS["scope-as-a-member"] = """
  $helpers
  struct Session {
    metasan::InitEmptyWeights scope;
    int steps = 0;
  };
  void run() {
    Net model;
    {
      Session session;
      model = Net();
-     $event(model)
    }
+   $event(model)
  }
"""
FLOWS["constructor"] = """
  $helpers
  struct BlockImpl : torch::nn::Module {
    BlockImpl() : fc(register_module("fc", torch::nn::Linear(4, 4))) {
      $event(*this)
    }
    torch::nn::Linear fc;
  };
  void run() {
    {
      metasan::InitEmptyWeights scope;
      keep(Net());
-     keep(BlockImpl());
    }
+   keep(BlockImpl());
  }
"""
FLOWS["constructor-under-a-builder"] = """
  $helpers
  struct BlockImpl : torch::nn::Module {
    explicit BlockImpl(bool ready) : fc(register_module("fc", torch::nn::Linear(4, 4))) {
      if (ready) {
        $event(*this)
      }
    }
    torch::nn::Linear fc;
  };
  TORCH_MODULE(Block);
  void run() {
-   keep(metasan::init_empty_weights([] { return Block(true); }));
+   keep(metasan::init_empty_weights([] { return Block(false); }));
  }
"""
FLOWS["new-and-delete"] = """
  $helpers
  void run() {
    auto* scope = new metasan::InitEmptyWeights;
    Net model;
-   $event(model)
    delete scope;
+   $event(model)
  }
"""
FLOWS["flag"] = """
  $helpers
  void run(bool lazy) {
    std::optional<metasan::InitEmptyWeights> scope;
    bool open = false;
    if (lazy) {
      scope.emplace();
      open = true;
    }
    Net model;
-   if (open) {
+   if (!open) {
      $event(model)
    }
  }
"""

# Where the unnamed object stands. $scope is it: in the bad twin unnamed, in the good one named.
UNNAMED = ["metasan::InitEmptyWeights{};", "metasan::InitEmptyWeights();"]
NAMED = ["metasan::InitEmptyWeights scope;", "metasan::InitEmptyWeights scope{};"]

UNNAMED_FLOWS = {}
UNNAMED_FLOWS["straight"] = """
  void run() {
    $scope
    keep(Net());
  }
"""
UNNAMED_FLOWS["block"] = """
  void run() {
    Net model{nullptr};
    {
      $scope
      model = Net();
    }
    metasan::load_checkpoint_in_model(model, "net.safetensors");
  }
"""
UNNAMED_FLOWS["branch"] = """
  void run(bool lazy) {
    Net model{nullptr};
    if (lazy) {
      $scope
      model = Net();
    } else {
      model = Net();
    }
    keep(model);
  }
"""
UNNAMED_FLOWS["branch-without-a-block"] = """
  void run(bool lazy) {
    std::optional<metasan::InitEmptyWeights> scope;
    if (lazy)
-     metasan::InitEmptyWeights();
+     scope.emplace();
    keep(Net());
  }
"""
UNNAMED_FLOWS["loop"] = """
  void run() {
    while (more()) {
      $scope
      keep(Net());
    }
  }
"""
UNNAMED_FLOWS["switch"] = """
  void run(int kind) {
    Net model{nullptr};
    switch (kind) {
    case 0: {
      $scope
      model = Net();
      break;
    }
    default:
      break;
    }
    keep(model);
  }
"""
UNNAMED_FLOWS["try"] = """
  void run() {
    try {
      $scope
      keep(Net());
    } catch (...) {
      note();
    }
  }
"""
UNNAMED_FLOWS["lambda"] = """
  void run() {
    auto build = [] {
      $scope
      return Net();
    };
    keep(build());
  }
"""
UNNAMED_FLOWS["immediate-lambda"] = """
  void run() {
    const Net model = [] {
      $scope
      return Net();
    }();
    keep(model);
  }
"""
UNNAMED_FLOWS["helper"] = """
  Net build() {
    $scope
    return Net();
  }
  void run() {
    keep(build());
  }
"""
UNNAMED_FLOWS["template"] = """
  template <class Module> Module build() {
    $scope
    return Module();
  }
  void run() {
    keep(build<Net>());
  }
"""
UNNAMED_FLOWS["member-function"] = """
  struct Runner {
    Net model{nullptr};
    void build() {
      $scope
      model = Net();
    }
  };
"""
UNNAMED_FLOWS["constructor"] = """
  struct Runner {
    Net model{nullptr};
    Runner() {
      $scope
      model = Net();
    }
  };
"""
UNNAMED_FLOWS["after-a-label"] = """
  void run() {
  again: {
    $scope
    keep(Net());
  }
    if (more()) {
      goto again;
    }
  }
"""
UNNAMED_FLOWS["after-a-return"] = """
  void run(bool ready) {
    if (ready) {
      return;
    }
    $scope
    keep(Net());
  }
"""
