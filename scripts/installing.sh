# How things are installed into .cache; scripts that install read this file.

# venv FOLDER REQUIREMENTS makes a Python venv with what is asked for, parted by blanks. It is left alone
# where it has that already: the marker holds what was asked for, so that a version change or an install
# that was cut short is made good.
venv() {
  [ "$(cat "$1/.installed" 2>/dev/null)" != "$2" ] || return 0
  echo "installing into $1: $2"
  [ -x "$1/bin/python" ] || python3 -m venv "$1"
  # shellcheck disable=SC2086 # the list is meant to be split
  "$1/bin/python" -m pip install -q --disable-pip-version-check $2
  printf '%s' "$2" > "$1/.installed"
}

# tool NAME VERSION MODULE builds a Go program of the version as .cache/bin/NAME-VERSION.
tool() {
  local path=.cache/bin/$1-$2
  [ ! -x "$path" ] || return 0
  echo "building $1 $2"
  mkdir -p .cache/bin
  GOBIN=$PWD/.cache/bin/part go install "$3@$2"
  mv ".cache/bin/part/$1" "$path"
}

# s3_servers builds the servers of object storage that tests take, and says where they are.
s3_servers() {
  tool versitygw "$S3_SERVER" github.com/versity/versitygw/cmd/versitygw
  tool fake-gcs-server "$GCS_SERVER" github.com/fsouza/fake-gcs-server
  scripts/install-azurite
  export AJLO_AZURITE=$PWD/.cache/azurite-$AZURITE
  export AJLO_S3_SERVER=$PWD/.cache/bin/versitygw-$S3_SERVER AJLO_GCS_SERVER=$PWD/.cache/bin/fake-gcs-server-$GCS_SERVER
}
