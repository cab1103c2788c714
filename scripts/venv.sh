# Read by scripts/run and scripts/test: makes .venv from a lock file, once.
# After it, $python is the interpreter to use. Needs Python 3.11 or later with venv, and a shell.

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
python=$root/.venv/bin/python

say() { printf '%s\n' "$*" >&2; }

find_python() {
    for candidate in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11 python; do
        [ -n "$candidate" ] || continue
        if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s' "$candidate"
            return
        fi
    done
    say "Python 3.11 or later with venv is needed, and none was found."
    say "  → install it (on Debian: apt-get install python3-venv), or set PYTHON=/path/to/python3"
    exit 2
}

# prepare LOCK [LOCK-THAT-HOLDS-IT-TOO]: does nothing when .venv already holds what the lock says.
prepare() {
    for lock in "$@"; do
        if [ -x "$python" ] && cmp -s "$root/$lock" "$root/.venv/$lock" && "$python" -c '' 2>/dev/null; then
            return
        fi
    done
    base=$(find_python)
    say "Making .venv from $1 (once; needs the network) …"
    [ -x "$python" ] && "$python" -c 'import pip' 2>/dev/null || "$base" -m venv --clear "$root/.venv"
    "$python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$root/$1" || {
        say "The packages could not be installed; nothing else was changed."
        say "  → check the network and run this again"
        exit 4
    }
    launcher
    "$python" -m compileall -q "$root/engine" # the first start is then as fast as the others
    cp "$root/$1" "$root/.venv/$1"
}

# .venv/bin/assay: the command itself, from this checkout.
launcher() {
    cat > "$root/.venv/bin/assay" <<END
#!/bin/sh
PYTHONPATH='$root'\${PYTHONPATH:+:\$PYTHONPATH} exec '$python' -P -m engine "\$@"
END
    chmod +x "$root/.venv/bin/assay"
}
