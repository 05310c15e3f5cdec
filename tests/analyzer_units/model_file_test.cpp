// Model files: what they say, and what is said of the mistakes in them.
#include "tests/analyzer_units/parse.h"
#include "tests/support/temp_directory.h"
#include "torch_model/Contract.h"

#include <gmock/gmock.h>

namespace metasan::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;
using Result = Contract::Result;

constexpr int kThis = Contract::This;

class ModelFile : public ::testing::Test {
 protected:
  /// Reads a model file; the message, empty when there is no mistake.
  std::string read(const std::string& yaml) {
    path_ = directory_.write("model.yaml", yaml);
    std::string error;
    const bool is_read = table_.readModelFile(path_.string(), error);
    EXPECT_EQ(is_read, error.empty());
    return error;
  }

  /// What is wrong, without the path in front of it.
  std::string mistake(const std::string& yaml) {
    std::string error = read(yaml);
    EXPECT_THAT(error, StartsWith(path_.string() + ":"));
    return error.substr(std::min(error.size(), path_.string().size() + 1));
  }

  /// The contract of a function in `code`; an empty one when there is none.
  Contract contract(const std::string& code, const std::string& name) {
    unit_ = parse("#include <torch/torch.h>\n#include <metasan/annotations.h>\n" + code);
    if (unit_ == nullptr) {
      throw std::runtime_error("does not compile: " + code);
    }
    const auto* found = table_.contractOf(function(*unit_, name));
    return found == nullptr ? Contract() : *found;
  }

 private:
  metasan::testing::TempDirectory directory_;
  std::filesystem::path path_;
  std::unique_ptr<clang::ASTUnit> unit_;
  ContractTable table_;
};

TEST_F(ModelFile, TheFileInTheGuide) {
  const std::string guide = read_source("docs/guides/annotations.md");
  const std::size_t begin = guide.find("# metasan-model.yaml");
  ASSERT_EQ(read(guide.substr(begin, guide.find("```", begin) - begin)), "");
  const Contract found =
      contract("namespace acme { struct Kernel { at::Tensor run(at::Tensor, at::Tensor&); }; }",
               "acme::Kernel::run");
  EXPECT_THAT(found.Requires, ElementsAre(kThis, 1));
  EXPECT_EQ(found.Returns, Result::Argument);
  EXPECT_EQ(found.ReturnedArgument, 1);
}

TEST_F(ModelFile, NamesAreThoseThatCodeSpells) {
  ASSERT_EQ(read("functions:\n"
                 "  - { name: acme::Box::fill, materializes: [this] }\n"
                 "  - { name: '::make', returns: uninitialized }\n"),
            "");
  EXPECT_THAT(contract("namespace acme { inline namespace v2 {"
                       "template <class T> struct Box { void fill(); };"
                       "} }"
                       "void f(acme::Box<int> b) { b.fill(); }",
                       "acme::Box::fill")
                  .Materializes,
              ElementsAre(kThis));
  EXPECT_EQ(contract("at::Tensor make();", "make").Returns, Result::Uninitialized);
  EXPECT_TRUE(contract("namespace other { at::Tensor make(); }", "other::make").empty());
}

TEST_F(ModelFile, AnOverloadHasOnlyItsOwnArguments) {
  ASSERT_EQ(read("functions:\n"
                 "  - { name: f, materializes: [0, 2], leaves_meta: [this],"
                 "      returns: argument, argument: 2 }\n"),
            "");
  const Contract found = contract("at::Tensor f(at::Tensor&);", "f");
  EXPECT_THAT(found.Materializes, ElementsAre(0));
  EXPECT_THAT(found.LeavesMeta, ElementsAre());
  EXPECT_EQ(found.Returns, Result::Unstated);
}

TEST_F(ModelFile, AddsToAnnotationsAndEarlierEntries) {
  ASSERT_EQ(read("functions:\n"
                 "  - { name: f, materializes: [0], returns: meta }\n"
                 "  - { name: f, materializes: [0, 2] }\n"),
            "");
  const Contract found = contract(
      "METASAN_RETURNS_MATERIALIZED at::Tensor"
      " f(at::Tensor&, METASAN_MATERIALIZES at::Tensor&, at::Tensor&);",
      "f");
  EXPECT_THAT(found.Materializes, ElementsAre(1, 0, 2));
  EXPECT_EQ(found.Returns, Result::Meta);
}

TEST_F(ModelFile, FluentMethods) {
  ASSERT_EQ(read("functions: [{ name: S::f, returns: argument, argument: this }]"), "");
  EXPECT_EQ(contract("struct S { S& f(); at::Tensor t; };", "S::f").ReturnedArgument, kThis);
}

TEST_F(ModelFile, MistakesHaveAPlace) {
  EXPECT_EQ(mistake("functions:\n  - name: f\n    materialises: [0]\n"),
            "3:5: unknown key 'materialises'");
  EXPECT_EQ(mistake("functions:\n  - returns: meta\n"), "2:5: missing required key 'name'");
  EXPECT_EQ(mistake("functions:\n  - name: f\n    returns: empty\n"),
            "3:14: expected meta, materialized, uninitialized or argument");
  EXPECT_EQ(mistake("functions:\n  - name: f\n    requires: [0, self]\n"),
            "3:19: expected 'this' or the number of a parameter, which start at 0");
  EXPECT_EQ(mistake("functions:\n  - name: f\n    requires: [-1]\n"),
            "3:16: expected 'this' or the number of a parameter, which start at 0");
  EXPECT_EQ(mistake("functions:\n  - name: f\n    requires: 0\n"), "3:15: not a sequence");
  EXPECT_EQ(mistake("functions:\n  - name: f\n    returns: meta\n    returns: meta\n"),
            "4:5: duplicated mapping key 'returns'");
  EXPECT_EQ(mistake("functions:\n  - f\n"), "2:5: not a mapping");
  EXPECT_EQ(mistake("function: []\n"), "1:1: missing required key 'functions'");
}

TEST_F(ModelFile, EntriesThatMakeNoSense) {
  EXPECT_EQ(mistake("functions:\n  - name: ''\n    returns: meta\n"), "2:5: the name is empty");
  EXPECT_EQ(mistake("functions:\n  - name: f\n"), "2:5: the entry has a name and promises nothing");
  EXPECT_EQ(mistake("functions:\n  - name: f\n    returns: argument\n"),
            "2:5: 'returns: argument' needs 'argument', which says which one");
  EXPECT_EQ(mistake("functions:\n  - name: f\n    argument: 0\n"),
            "2:5: 'argument' says which one is returned, and needs 'returns: argument'");
  EXPECT_EQ(mistake("functions:\n  - { name: f, materializes: [0], leaves_meta: [1, 0] }\n"),
            "2:7: 'materializes' and 'leaves_meta' name the same argument");
}

TEST_F(ModelFile, OtherFiles) {
  EXPECT_THAT(mistake("functions:\n  - name: [\n"), StartsWith("2:12: "));
  EXPECT_THAT(mistake("{"), StartsWith("1:1: "));
  EXPECT_EQ(mistake(""), "1:1: not a model file");
  EXPECT_EQ(mistake("# nothing\n"), "1:1: not a model file");
  EXPECT_EQ(mistake("just text\n"), "1:1: not a mapping");
}

TEST_F(ModelFile, AFileWithAMistakeIsNotUsed) {
  read("functions:\n  - { name: f, returns: meta }\n  - { name: g, returns: wrong }\n");
  EXPECT_TRUE(contract("at::Tensor f();", "f").empty());
}

TEST_F(ModelFile, AFileThatIsNotThere) {
  std::string error;
  EXPECT_FALSE(ContractTable().readModelFile("no/such/model.yaml", error));
  EXPECT_EQ(error, "no/such/model.yaml: No such file or directory");
}

}  // namespace
}  // namespace metasan::analysis
