"""What is bad in the pairs, by rule: an object that has gone wrong (its source), how it is made right, and what it
must not go into.

The texts are C++ with $ for the variable; statements of several lines are allowed. flow.py says what each field
stands for.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Defect:
    rule: str
    name: str
    type: str
    variable: str
    bad: str
    good: str
    empty: str
    spoil: str
    fill: str
    replace: str
    use: str
    legal: str
    bad_value: str = ""
    good_value: str = ""
    guard: str = ""
    lacks: str = ""
    fill_in_place: str = ""
    spoil_in_place: str = ""
    is_tensor: bool = False

    @property
    def field(self):
        return self.empty

    # Namespace-scope variables are written like members.
    @property
    def global_variable(self):
        return self.empty

    def offers(self, need):
        """Whether a flow that needs this can be written with the defect."""
        if need == "scope":
            return self.rule not in ("uninitialized-read", "move-after-dispatch")
        if need == "view":
            return self.is_tensor
        if need == "view_filled_in_place":
            return self.is_tensor and bool(self.fill_in_place)
        return bool(getattr(self, need))


# How code asks whether there is data, and the opposite.
IS_META = ("!$.is_meta()", "$.is_meta()")
DEVICE = ("$.device() != torch::kMeta", "$.device() == torch::kMeta")
DEVICE_TYPE = ("$.device().type() != torch::kMeta", "$.device().is_meta()")
STATE = ("metasan::state_of($) == metasan::State::Materialized", "metasan::state_of($) == metasan::State::Declared")


def tensor(rule, name, use, legal, source, guard=IS_META, real="torch::rand({4, 4})"):
    """A tensor on the meta device. It gets data only by another tensor taking its place."""
    return Defect(
        rule=rule,
        name=name,
        type="torch::Tensor",
        variable="weights",
        bad=f"torch::Tensor $ = {source};",
        good=f"torch::Tensor $ = {real};",
        empty="torch::Tensor $;",
        spoil=f"$ = {source};",
        fill=f"$ = {real};",
        replace=f"$ = {real};",
        use=use,
        legal=legal,
        bad_value=source,
        good_value=real,
        guard=guard[0],
        lacks=guard[1],
        is_tensor=True,
    )


@dataclasses.dataclass(frozen=True)
class Handle:
    """A way to hold a module: the type, and the expression that makes one."""

    type: str
    make: str
    default: str


NET = Handle("Net", "Net()", "Net $;")
LINEAR = Handle("torch::nn::Linear", "torch::nn::Linear(4, 4)", "torch::nn::Linear $(4, 4);")
SHARED = Handle("std::shared_ptr<NetImpl>", "std::make_shared<NetImpl>()", "auto $ = std::make_shared<NetImpl>();")

LOAD = 'metasan::load_checkpoint_in_model($, "net.safetensors");'
NATIVE_LOAD = 'torch::load($, "net.pt");'


def module(rule, name, use, legal, handle=NET, scope_object=False, load=LOAD):
    """A module built under an empty-weights scope. A load gives it data in place."""
    built = f"metasan::init_empty_weights([] {{ return {handle.make}; }})"
    empty = f"{handle.type} $;" if handle is SHARED else f"{handle.type} $" + "{nullptr};"
    scope = f"{{\n  metasan::InitEmptyWeights scope;\n  $ = {handle.make};\n}}"
    return Defect(
        rule=rule,
        name=name,
        type=handle.type,
        variable="model",
        bad=f"{empty}\n{scope}" if scope_object else f"{handle.type} $ = {built};",
        good=handle.default,
        empty=empty,
        spoil=scope if scope_object else f"$ = {built};",
        fill=load,
        replace=f"$ = {handle.make};",
        use=use,
        legal=legal,
        bad_value=built,
        good_value=handle.make,
        guard=STATE[0],
        lacks=STATE[1],
        fill_in_place=load,
    )


def uninitialized(name, use, legal, source, fill):
    """Memory that nobody has written. An in-place operation that writes all of it makes it right."""
    return Defect(
        rule="uninitialized-read",
        name=name,
        type="torch::Tensor",
        variable="buffer",
        bad=f"torch::Tensor $ = {source};",
        good="torch::Tensor $ = torch::zeros({4, 4});",
        empty="torch::Tensor $;",
        spoil=f"$ = {source};",
        fill=fill,
        replace="$ = torch::zeros({4, 4});",
        use=use,
        legal=legal,
        bad_value=source,
        good_value="torch::zeros({4, 4})",
        fill_in_place=fill,
        is_tensor=True,
    )


def dispatched(name, use, legal, dispatch, handle=NET):
    """A module that was dispatched. Only another module in its place may be moved."""
    field = f"{handle.type} $ = {handle.make};" if handle is SHARED else f"{handle.type} $" + (
        "{torch::nn::Linear(4, 4)};" if handle is LINEAR else ";"
    )
    return Defect(
        rule="move-after-dispatch",
        name=name,
        type=handle.type,
        variable="model",
        bad=f"{handle.default}\n{dispatch}",
        good=handle.default,
        empty=field,
        spoil=dispatch,
        fill=f"$ = {handle.make};",
        replace=f"$ = {handle.make};",
        use=use,
        legal=legal,
        good_value=handle.make,
        spoil_in_place=dispatch,
    )


EMPTY = "torch::empty({4, 4}, torch::kMeta)"
ONES = "torch::ones({4, 4}, torch::TensorOptions().device(torch::kMeta))"
ZEROS = "torch::zeros({4, 4}, torch::dtype(torch::kFloat).device(torch::kMeta))"
RANDOM = "torch::randn({4, 4}, torch::device(torch::kMeta))"
MOVED = "torch::rand({4, 4}).to(torch::kMeta)"
LIKE = "torch::empty_like(torch::ones({4, 4}), torch::kMeta)"


def write(statement):
    return "{\n  torch::NoGradGuard no_grad;\n  " + statement + "\n}"


DEFECTS = [
    tensor("meta-copy-out", "to_device", "keep($.to(torch::kCUDA));", "keep($.to(torch::kHalf));", EMPTY, IS_META),
    tensor("meta-copy-out", "cpu", "keep($.cpu());", "keep($.to(torch::kMeta));", ONES, DEVICE),
    module("meta-copy-out", "module_to", "$->to(torch::kCUDA);", "$->to(torch::kHalf);"),
    tensor(
        "meta-copy-out",
        "copy_from",
        "torch::zeros({4, 4}).copy_($);",
        "keep(torch::zeros_like($, torch::kCPU));",
        RANDOM,
        STATE,
    ),
    module("meta-copy-out", "shared_module_to", "$->to(torch::kCUDA, torch::kHalf);", "$->eval();", SHARED),
    module(
        "meta-copy-out",
        "parameter_cpu",
        "keep($->weight.cpu());",
        "keep($->weight.detach());",
        LINEAR,
        scope_object=True,
        load=NATIVE_LOAD,
    ),
    tensor(
        "meta-data-dependent", "item", "keep($.sum().item<float>());", "keep($.sum());", EMPTY, IS_META
    ),
    module(
        "meta-data-dependent",
        "weight_item",
        "keep($->fc->weight.norm().item<float>());",
        "keep($->fc->weight.norm());",
        scope_object=True,
    ),
    tensor("meta-data-dependent", "print", "std::cout << $;", "std::cout << $.sizes();", ZEROS, DEVICE_TYPE),
    tensor("meta-data-dependent", "nonzero", "keep($.nonzero());", "keep($.numel());", LIKE, DEVICE),
    module(
        "meta-data-dependent",
        "any_negative",
        "for (const auto& parameter : $->parameters()) {\n  keep(parameter.lt(0).any().item<bool>());\n}",
        "for (const auto& parameter : $->parameters()) {\n  keep(parameter.numel());\n}",
        SHARED,
    ),
    tensor("meta-raw-access", "data_ptr", "keep($.data_ptr<float>()[0]);", "keep($.nbytes());", EMPTY, IS_META),
    module(
        "meta-raw-access",
        "weight_data",
        "keep_bytes($->fc->weight.data_ptr(), $->fc->weight.nbytes());",
        "keep($->fc->weight.nbytes());",
        scope_object=True,
    ),
    tensor("meta-raw-access", "accessor", "keep($.accessor<float, 2>()[0][0]);", "keep($.dim());", RANDOM, DEVICE),
    tensor(
        "meta-raw-access",
        "const_data_ptr",
        "keep_bytes($.const_data_ptr(), $.nbytes());",
        "keep($.strides());",
        ZEROS,
        STATE,
    ),
    tensor(
        "meta-raw-access",
        "storage",
        "keep($.storage().data());",
        "keep($.storage().nbytes());",
        MOVED,
        DEVICE_TYPE,
    ),
    tensor(
        "meta-write-lost",
        "copy",
        "$.copy_(torch::ones({4, 4}));",
        "$.copy_(torch::ones({4, 4}, torch::kMeta));",
        EMPTY,
        IS_META,
        "torch::zeros({4, 4})",
    ),
    module(
        "meta-write-lost",
        "weight_copy",
        write("$->fc->weight.copy_(torch::ones({4, 4}));"),
        write("$->fc->weight.fill_(1);"),
        scope_object=True,
    ),
    tensor(
        "meta-write-lost",
        "row_copy",
        "$[0].copy_(torch::ones({4}));",
        "$[0].zero_();",
        LIKE,
        DEVICE,
        "torch::zeros({4, 4})",
    ),
    module(
        "meta-write-lost",
        "shared_copy",
        write("$->fc->bias.copy_(torch::zeros({4}));"),
        write("$->fc->bias.zero_();"),
        SHARED,
    ),
    tensor(
        "meta-mixed",
        "mm",
        "keep(torch::mm($, torch::ones({4, 4})));",
        "keep(torch::mm($, torch::ones({4, 4}, torch::kMeta)));",
        EMPTY,
        IS_META,
    ),
    module(
        "meta-mixed",
        "forward",
        "keep($(torch::ones({2, 4})));",
        "keep($(torch::ones({2, 4}, torch::kMeta)));",
    ),
    tensor(
        "meta-mixed", "cat", "keep(torch::cat({torch::ones({4, 4}), $}));", "keep(torch::cat({$, $}));", ONES, DEVICE
    ),
    tensor("meta-mixed", "sum", "keep($ + torch::ones({4, 4}));", "keep($ + $);", RANDOM, STATE),
    module(
        "meta-mixed",
        "weight_product",
        "keep(torch::matmul(torch::ones({2, 4}), $->weight));",
        "keep(torch::matmul($->weight, $->weight));",
        LINEAR,
        scope_object=True,
    ),
    module("meta-saved", "module", 'torch::save($, "model.pt");', "$->eval();"),
    tensor(
        "meta-saved",
        "tensor",
        'torch::save($, "weights.pt");',
        'torch::save(torch::zeros_like($, torch::kCPU), "weights.pt");',
        EMPTY,
        IS_META,
    ),
    module(
        "meta-saved",
        "part",
        'torch::save($->fc, "fc.pt");',
        'keep($->fc->weight.sizes());',
        scope_object=True,
        load=NATIVE_LOAD,
    ),
    module("meta-saved", "weight", 'torch::save($->weight, "weight.pt");', "keep($->weight.clone());", LINEAR),
    module("meta-saved", "shared_module", 'torch::save($, "model.pt");', "$->train();", SHARED),
    uninitialized(
        "item", "keep($.sum().item<float>());", "keep($.numel());", "torch::empty({4, 4})", "$.zero_();"
    ),
    uninitialized(
        "sum",
        "keep(torch::ones({4, 4}) + $);",
        "keep(torch::zeros_like($));",
        "torch::empty_like(torch::ones({4, 4}))",
        "$.copy_(torch::ones({4, 4}));",
    ),
    uninitialized(
        "product",
        "keep(torch::mm($, torch::ones({4, 4})));",
        "keep($.sizes());",
        "torch::empty({4, 4}, torch::kFloat)",
        "$.normal_();",
    ),
    uninitialized(
        "copied",
        "torch::zeros({4, 4}).copy_($);",
        "keep($.nbytes());",
        "torch::ones({4, 4}).new_empty({4, 4})",
        "read_floats($.data_ptr<float>(), $.numel());",
    ),
    module(
        "dispatch-without-weights", "dispatch", "metasan::dispatch_model($, torch::kCUDA);", "metasan::name_tensors($);"
    ),
    module(
        "dispatch-without-weights",
        "dispatch_reference",
        "metasan::dispatch_model(*$, torch::kCUDA);",
        "$->to(torch::kHalf);",
        SHARED,
    ),
    module(
        "dispatch-without-weights",
        "dispatch_part",
        "metasan::dispatch_model($->fc, torch::kCPU);",
        "$->fc->eval();",
        scope_object=True,
    ),
    module(
        "dispatch-without-weights",
        "dispatch_map",
        "{\n  const metasan::DeviceMap device_map = torch::kCUDA;\n  metasan::dispatch_model($, device_map);\n}",
        "$->eval();",
        LINEAR,
        scope_object=True,
        load=NATIVE_LOAD,
    ),
    dispatched(
        "loaded_and_dispatched",
        "$->to(torch::kCPU);",
        "$->to(torch::kHalf);",
        'metasan::load_checkpoint_and_dispatch($, "net.safetensors", torch::kCUDA);',
    ),
    dispatched(
        "dispatched",
        "$->to(torch::kCPU, torch::kHalf);",
        "$->eval();",
        "metasan::dispatch_model($, torch::kCUDA);",
        SHARED,
    ),
    dispatched(
        "layer",
        "$->to(torch::Device(torch::kCPU));",
        "keep($->weight.to(torch::kCPU));",
        "metasan::dispatch_model($, torch::kCUDA);",
        LINEAR,
    ),
]

# Why a rule has no pair with a flow that needs something: by what the flow needs, then by rule.
OMITTED = {
    "guard": {
        "uninitialized-read": "nothing tells whether memory has been written",
        "move-after-dispatch": "nothing tells whether a module has been dispatched",
    },
    "bad_value": {"move-after-dispatch": "a dispatch is a statement, not a value"},
    "scope": {
        "uninitialized-read": "a tensor declared under a scope has no memory to read",
        "move-after-dispatch": "a module that is loaded no longer cares for the scope it was built under",
    },
    "spoil_in_place": {
        rule: "only a dispatch makes an existing object worse; these are bad from the start"
        for rule in {defect.rule for defect in DEFECTS} - {"move-after-dispatch"}
    },
    "fill_in_place": {"move-after-dispatch": "nothing takes a dispatch back"},
    "view": {
        "dispatch-without-weights": "a module has no views",
        "move-after-dispatch": "a module has no views",
    },
    "view_filled_in_place": {
        rule: "a tensor without data gets data by another taking its place, a module has no views"
        for rule in {defect.rule for defect in DEFECTS} - {"uninitialized-read"}
    },
}
