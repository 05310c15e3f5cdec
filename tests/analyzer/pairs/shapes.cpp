// The ways a tensor can take through one function that an analysis of it has to know, each with the answer that is wanted.
//
//   // shape: <name>: definite    reported: it has no data on every path
//   // shape: <name>: maybe       reported: it has no data on some path
//   // shape: <name>: nothing     not reported
//
// shapes.py measures how many answers are right.
#include <torch/torch.h>

struct Weights {
  torch::Tensor kernel, bias;
};
void publish(torch::Tensor weights);

// shape: aggregate-initialization: definite
void initializes_an_aggregate() {
  Weights layer{torch::empty({1}, torch::kMeta), torch::ones({1})};
  layer.kernel.item();
}

// shape: aggregate-copy: definite
void copies_an_aggregate() {
  Weights layer{torch::empty({1}, torch::kMeta), torch::ones({1})};
  Weights copy = layer;
  copy.kernel.item();
}

// shape: move: definite
void moves_the_handle() {
  auto source = torch::empty({1}, torch::kMeta);
  auto target = std::move(source);
  target.item();
}

// shape: structured-binding: definite
void binds_the_parts_of_a_pair() {
  std::pair<torch::Tensor, int> entry{torch::empty({1}, torch::kMeta), 7};
  auto [weights, version] = entry;
  weights.item();
}

// shape: array-element: definite
void reads_an_element() {
  torch::Tensor layers[2] = {torch::empty({1}, torch::kMeta), torch::ones({1})};
  layers[0].item();
}

// shape: new-expression: definite
void keeps_it_on_the_heap() {
  auto* weights = new torch::Tensor(torch::empty({1}, torch::kMeta));
  weights->item();
}

// shape: conditional-operator: maybe
void chooses_between_two(bool lazy) {
  torch::Tensor empty = torch::empty({1}, torch::kMeta), full = torch::ones({1});
  (lazy ? empty : full).item();
}

// shape: short-circuit: nothing
void asks_in_the_same_condition(bool wanted) {
  torch::Tensor weights = torch::empty({1}, torch::kMeta);
  if (wanted && !weights.is_meta()) {
    weights.item();
  }
  if (weights.is_meta() || weights.is_nonzero()) {
    return;
  }
}

// shape: early-return: nothing
void returns_when_there_is_no_data() {
  torch::Tensor weights = torch::empty({1}, torch::kMeta);
  if (weights.is_meta()) {
    return;
  }
  weights.item();
}

// shape: answer-in-a-bool: nothing
void keeps_the_answer() {
  torch::Tensor weights = torch::empty({1}, torch::kMeta);
  const bool missing = weights.is_meta();
  if (!missing) {
    weights.item();
  }
}

// shape: correlated-branches: nothing
void tests_the_same_flag_twice(bool lazy) {
  torch::Tensor weights = torch::ones({1});
  if (lazy) {
    weights = torch::empty({1}, torch::kMeta);
  }
  if (!lazy) {
    weights.item();
  }
}

// shape: immediate-lambda-fills: nothing
void fills_in_a_lambda_called_at_once() {
  torch::Tensor weights = torch::empty({1}, torch::kMeta);
  [&] { weights = torch::ones({1}); }();
  weights.item();
}

// shape: immediate-lambda-reads: definite
void reads_in_a_lambda_called_at_once() {
  torch::Tensor weights = torch::empty({1}, torch::kMeta);
  [&] { weights.item(); }();
}

struct Base {
  torch::Tensor weights;
};
struct Derived : Base {
  // shape: inherited-member: definite
  void reads_an_inherited_member() {
    weights = torch::empty({1}, torch::kMeta);
    weights.item();
  }

  // shape: member-through-the-base: definite
  void reads_through_the_base() {
    this->Base::weights = torch::empty({1}, torch::kMeta);
    Base& base = *this;
    base.weights.item();
  }
};

// shape: template-instance: definite
template <class Number> void reads_in_a_template(Number) {
  torch::Tensor weights = torch::empty({1}, torch::kMeta);
  weights.item();
}
void instantiates_it() {
  reads_in_a_template(1);
  reads_in_a_template(0.5);
}

// shape: constructor-initializer: definite
struct InitializedInTheList {
  torch::Tensor weights;
  InitializedInTheList() : weights(torch::empty({1}, torch::kMeta)) { weights.item(); }
};

// shape: member-initializer: definite
struct InitializedInTheClass {
  torch::Tensor weights = torch::empty({1}, torch::kMeta);
  InitializedInTheClass() { weights.item(); }
};

// shape: exception-handler: definite
void reads_in_the_handler() {
  torch::Tensor weights = torch::empty({1}, torch::kMeta);
  try {
    publish(weights);
    weights = torch::ones({1});
  } catch (...) {
    weights.item();
  }
}

// shape: goto: maybe
void jumps_over_the_filling(bool skip) {
  torch::Tensor weights = torch::empty({1}, torch::kMeta);
  if (skip) {
    goto out;
  }
  weights = torch::ones({1});
out:
  weights.item();
}

// shape: static-local: maybe
void keeps_it_between_calls() {
  static torch::Tensor weights = torch::empty({1}, torch::kMeta);
  weights.item();
}

// shape: global: definite
torch::Tensor shared_weights;
void reads_a_global() {
  shared_weights = torch::empty({1}, torch::kMeta);
  publish(shared_weights);
  shared_weights.item();
}

// shape: filled-in-every-round: nothing
void fills_before_every_test() {
  torch::Tensor weights = torch::empty({1}, torch::kMeta);
  do {
    weights = torch::ones({1});
  } while (weights.is_nonzero());
  weights.item();
}
