// metasan/annotations.h and the reader of annotations agree; the code in its comment and in the
// guide compiles.
#include "tests/analyzer_units/parse.h"
#include "torch_model/Contract.h"

#include <gmock/gmock.h>

#include <sstream>

namespace metasan::analysis {
namespace {

using ::testing::ElementsAre;

constexpr int kThis = Contract::This;

class Annotations : public ::testing::Test {
 protected:
  /// The contract of the function `name` in `code`; an empty one when it promises nothing.
  Contract contract(const std::string& code, const std::string& name) {
    unit_ = parse("#include <torch/torch.h>\n#include <metasan/annotations.h>\n" + code);
    if (unit_ == nullptr) {
      throw std::runtime_error("does not compile: " + code);
    }
    const ContractTable table;
    const auto* found = table.contractOf(function(*unit_, name));
    return found == nullptr ? Contract() : *found;
  }

 private:
  std::unique_ptr<clang::ASTUnit> unit_;
};

TEST_F(Annotations, Results) {
  using Result = Contract::Result;
  EXPECT_EQ(contract("METASAN_RETURNS_META at::Tensor f();", "f").Returns, Result::Meta);
  EXPECT_EQ(contract("METASAN_RETURNS_MATERIALIZED at::Tensor f();", "f").Returns,
            Result::Materialized);
  EXPECT_EQ(contract("METASAN_RETURNS_UNINITIALIZED at::Tensor f();", "f").Returns,
            Result::Uninitialized);
}

TEST_F(Annotations, Parameters) {
  const Contract found = contract(
      "void f(METASAN_REQUIRES_MATERIALIZED at::Tensor a, METASAN_MATERIALIZES at::Tensor& b,"
      "       int, METASAN_DISPATCHES at::Tensor& c, METASAN_LEAVES_META at::Tensor& d,"
      "       METASAN_REQUIRES_MATERIALIZED METASAN_LEAVES_META at::Tensor& e);",
      "f");
  EXPECT_THAT(found.Requires, ElementsAre(0, 5));
  EXPECT_THAT(found.Materializes, ElementsAre(1));
  EXPECT_THAT(found.Dispatches, ElementsAre(3));
  EXPECT_THAT(found.LeavesMeta, ElementsAre(4, 5));
  EXPECT_EQ(found.Returns, Contract::Result::Unstated);
}

TEST_F(Annotations, MemberFunctionsSpeakOfTheObject) {
  const Contract found = contract(
      "struct S { METASAN_MATERIALIZES METASAN_RETURNS_META static at::Tensor s();"
      "           METASAN_LEAVES_META S();"
      "           METASAN_MATERIALIZES METASAN_RETURNS_META at::Tensor f(); };",
      "S::f");
  EXPECT_THAT(found.Materializes, ElementsAre(kThis));
  EXPECT_EQ(found.Returns, Contract::Result::Meta);
}

TEST_F(Annotations, WithoutAnObjectThereIsNothingToPromise) {
  EXPECT_TRUE(contract("METASAN_MATERIALIZES void f(at::Tensor);", "f").empty());
  EXPECT_TRUE(contract("struct S { METASAN_MATERIALIZES static void f(); };", "S::f").empty());
  EXPECT_TRUE(contract("[[clang::annotate(\"metasan:sings\")]] void f();", "f").empty());
  EXPECT_TRUE(contract("[[clang::annotate(\"other:requires\")]] void f();", "f").empty());
}

TEST_F(Annotations, AllDeclarationsCount) {
  const Contract found = contract(
      "void f(METASAN_MATERIALIZES at::Tensor&, at::Tensor);"
      "void f(at::Tensor&, METASAN_REQUIRES_MATERIALIZED at::Tensor);"
      "void f(at::Tensor&, at::Tensor) {}",
      "f");
  EXPECT_THAT(found.Materializes, ElementsAre(0));
  EXPECT_THAT(found.Requires, ElementsAre(1));
}

TEST_F(Annotations, Templates) {
  const Contract free = contract(
      "template <class T> METASAN_RETURNS_META T f(METASAN_LEAVES_META T& t);"
      "template <class T> T f(T& t) { return t; }"
      "void g(at::Tensor t) { f(t); }",
      "f");
  EXPECT_EQ(free.Returns, Contract::Result::Meta);
  EXPECT_THAT(free.LeavesMeta, ElementsAre(0));

  const Contract member = contract(
      "template <class T> struct S { METASAN_MATERIALIZES void f(); T t; };"
      "template <class T> void S<T>::f() {}"
      "void g(S<at::Tensor> s) { s.f(); }",
      "S::f");
  EXPECT_THAT(member.Materializes, ElementsAre(kThis));
}

TEST_F(Annotations, OverridersKeepThePromise) {
  const Contract found = contract(
      "struct A { METASAN_MATERIALIZES virtual void f(METASAN_REQUIRES_MATERIALIZED at::Tensor); };"
      "struct B : A { void f(at::Tensor) override; };",
      "B::f");
  EXPECT_THAT(found.Materializes, ElementsAre(kThis));
  EXPECT_THAT(found.Requires, ElementsAre(0));
}

/// The indented lines of a header's comments.
std::string example_in_comments(const std::string& text) {
  std::istringstream in(text);
  std::string example;
  for (std::string line; std::getline(in, line);) {
    constexpr std::string_view kCode = "///     ";
    if (line.starts_with(kCode)) {
      example += line.substr(kCode.size()) + "\n";
    }
  }
  return example;
}

TEST_F(Annotations, TheExampleInTheHeaderCompiles) {
  const std::string example = example_in_comments(read_source("include/metasan/annotations.h"));
  EXPECT_THAT(contract("#pragma clang diagnostic ignored \"-Wunused-private-field\"\n" + example,
                       "Adapter::apply")
                  .Requires,
              ElementsAre(kThis));
}

TEST_F(Annotations, TheCodeInTheGuideCompiles) {
  std::string guide = read_source("docs/guides/annotations.md");
  constexpr std::string_view kBegin = "```cpp\n";
  int blocks = 0;
  for (std::size_t at = 0; (at = guide.find(kBegin, at)) != std::string::npos; ++blocks) {
    at += kBegin.size();
    const std::string code = guide.substr(at, guide.find("```", at) - at);
    EXPECT_NE(parse(code), nullptr) << code;
  }
  EXPECT_EQ(blocks, 2);
}

}  // namespace
}  // namespace metasan::analysis
