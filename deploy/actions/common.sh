# shellcheck shell=bash
# What both actions do. Uses nothing that bash 3.2, that of macOS, lacks.

# Ends the step with an error that the page of the run shows.
fail() {
  echo "::error::$1" >&2
  exit 1
}

# Sets `files` to what the lines of a text name or match. The program reports a missing file that has no wildcard.
find_files() {
  # Spaces inside a line belong to the name.
  local IFS= pattern matches
  files=()
  shopt -s nullglob
  if [[ $1 == *'**'* ]]; then shopt -s globstar || fail "files: ** needs bash 4 or newer"; fi
  while IFS=$' \t' read -r pattern; do
    if [[ -z $pattern ]]; then continue; fi
    # shellcheck disable=SC2206
    if [[ -e $pattern ]]; then matches=("$pattern"); else matches=($pattern); fi
    if [[ ${#matches[@]} -eq 0 ]]; then fail "files: nothing matches $pattern"; fi
    files+=("${matches[@]}")
  done <<< "$1"
  if [[ ${#files[@]} -eq 0 ]]; then fail "files: no file is named"; fi
}

# Installs PACKAGE and sets `programs` to the folder of its programs. The working directory can hold what somebody else
# has made: neither its packages nor its settings of npm may count.
install_package() {
  local package=${PACKAGE:?is empty} folder
  # As npm, which takes a name with this ending for a path.
  if [[ $package == *.tgz && $package != /* ]]; then package=$PWD/$package; fi
  folder=$(mktemp -d "${RUNNER_TEMP:?}/sealbook.XXXXXX")
  (cd "$folder" && npm install --ignore-scripts --no-audit --no-fund --loglevel=error -- "$package" >&2)
  programs=$folder/node_modules/.bin
}

# Runs a command of PACKAGE. It prints names of files, which the runner must not take for commands. Everything that
# the runner reads for commands is on the standard error: it does not keep the order of two streams.
sealbook() {
  local token code=0
  install_package
  token=$(node -p 'crypto.randomUUID()')
  echo "::stop-commands::$token" >&2
  # With the Node that is installed beside it.
  PATH=$programs:$PATH "$programs/sealbook" "$@" || code=$?
  echo "::$token::" >&2
  return "$code"
}
