#pragma once

/// Annotations: what a function promises about the data of its arguments and of its result.
///
/// MetaSan's checks see one translation unit at a time. An annotation tells them what a function
/// defined in another one does to the tensors it is given:
///
///     METASAN_RETURNS_META torch::Tensor make_buffer(long size);
///
///     void read_weights(METASAN_MATERIALIZES torch::nn::Linear& layer, const char* path);
///
///     float norm(METASAN_REQUIRES_MATERIALIZED const torch::Tensor& weight);
///
///     class Adapter {
///      public:
///       METASAN_LEAVES_META void unload();
///       METASAN_MATERIALIZES void load(const char* path);
///       METASAN_REQUIRES_MATERIALIZED torch::Tensor apply(const torch::Tensor& input);
///
///      private:
///       torch::Tensor weight_;
///     };
///
/// - An annotation stands in front of a parameter or in front of the whole declaration (after
///   `template <...>`), on at least one declaration of the function that its callers see. Several
///   may stand together.
/// - In front of a member function, those that speak of an argument speak of the object. On a free
///   function or a static member they say nothing.
/// - An argument or a result that is a module, or a container, stands for all tensors in it.
/// - A method keeps the promises of those it overrides.
/// - The checks believe an annotation; nothing verifies it. Only Clang sees one, so that it costs
///   nothing at run time and changes nothing for other compilers.
///
/// Code that cannot be changed is described in a model file instead: docs/guides/annotations.md.

#if defined(__clang__)
#define METASAN_DETAIL_ANNOTATE(text) [[clang::annotate("metasan:" text)]]
#else
#define METASAN_DETAIL_ANNOTATE(text)
#endif

/// On a function: what it returns has no data (a meta tensor, an empty module).
#define METASAN_RETURNS_META METASAN_DETAIL_ANNOTATE("returns_meta")

/// On a function: what it returns has data.
#define METASAN_RETURNS_MATERIALIZED METASAN_DETAIL_ANNOTATE("returns_materialized")

/// On a function: what it returns has memory that nothing has written yet, as from `to_empty`.
#define METASAN_RETURNS_UNINITIALIZED METASAN_DETAIL_ANNOTATE("returns_uninitialized")

/// On a parameter or a member function: must have data when the function is called.
#define METASAN_REQUIRES_MATERIALIZED METASAN_DETAIL_ANNOTATE("requires")

/// On a parameter or a member function: has data after the call, whatever it had before.
#define METASAN_MATERIALIZES METASAN_DETAIL_ANNOTATE("materializes")

/// On a parameter or a member function: is placed on its devices, and needs its weights for that.
#define METASAN_DISPATCHES METASAN_DETAIL_ANNOTATE("dispatches")

/// On a parameter or a member function: has no data after the call, whatever it had before.
#define METASAN_LEAVES_META METASAN_DETAIL_ANNOTATE("leaves_meta")
