#!/bin/bash
# Build InfluxDB from its Go module into .cache/influx/VERSION/influxd, where it is not there yet.
# usage: build_influxd.sh 1.8.3|1.13.2|2.9.1
# 1.8.3 is pure Go (about a minute). The others build libflux with cargo first (about six minutes, 3 GB of caches).
set -euo pipefail
version=$1
target=$(cd "$(dirname "$0")/../../../.." && pwd)/.cache/influx/$version
[ -x "$target/influxd" ] && exit 0
need() { command -v "$1" >/dev/null || { echo "$1 is missing: sudo apt-get install $2" >&2; exit 1; }; }
need go golang-go
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

libflux() {
  need cargo cargo
  need pkg-config pkg-config
  GOBIN=$work go install github.com/influxdata/pkg-config@v0.3.0
  export PKG_CONFIG=$work/pkg-config
  # flux pins a toolchain that need not be installed, and denies the warnings of later ones
  command -v rustup >/dev/null && export RUSTUP_TOOLCHAIN=${RUSTUP_TOOLCHAIN:-stable}
  printf '#!/bin/sh\nexec "$@" --cap-lints warn\n' >"$work/rustc-wrapper"
  chmod +x "$work/rustc-wrapper"
  export RUSTC_WRAPPER=$work/rustc-wrapper
}

case $version in
  1.8.3) GOBIN=$work go install github.com/influxdata/influxdb/cmd/influxd@v1.8.3 ;;
  1.13.2) libflux; GOBIN=$work go install github.com/influxdata/influxdb/cmd/influxd@v1.13.2 ;;
  2.9.1)
    libflux
    mkdir "$work/module" && cd "$work/module"
    go mod init wattmark.test/influxd
    go get -tool github.com/influxdata/influxdb/v2/cmd/influxd@v2.9.1
    go build -tags 'sqlite_foreign_keys,sqlite_json' -ldflags '-s -w -X main.version=2.9.1' \
      -o "$work/influxd" github.com/influxdata/influxdb/v2/cmd/influxd ;;
  *) echo "usage: $0 1.8.3|1.13.2|2.9.1" >&2; exit 2 ;;
esac
mkdir -p "$target"
mv "$work/influxd" "$target/influxd"
