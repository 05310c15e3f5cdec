namespace clang::tidy {
int clangTidyMain(int argc, const char **argv);
} // namespace clang::tidy

int main(int argc, const char **argv) { return clang::tidy::clangTidyMain(argc, argv); }
