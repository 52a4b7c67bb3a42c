# Tests that are built under a tag; scripts/test and scripts/soak read this file.

# under TAG prints those of the files that are built under the tag.
under() { xargs -r grep -lE "^//go:build.*\b$1\b" || true; }

# packages_under TAG prints the folders of the packages with tests under the tag.
packages_under() {
  grep -rlE '^func Test[A-Za-z0-9]*\(t ' --include='*_test.go' --exclude-dir='.?*' . | under "$1" | xargs -r -n 1 dirname | sort -u
}

# tests_under TAG FOLDER prints the names of a package's tests under the tag, parted by |.
tests_under() {
  printf '%s\n' "$2"/*_test.go | under "$1" | xargs sed -n 's/^func \(Test[A-Za-z0-9]*\)(t .*/\1/p' | paste -sd '|'
}
