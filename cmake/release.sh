#!/bin/sh
# What is given away of a version: a .deb, an archive of the sources, and their SHA-256, all in one folder, which appears as a whole.
#   sh cmake/release.sh [FOLDER]        default: build/release-files
# kgen and kgen-opt are built in build/release, without what tests need; KGEN_BUILD_DIR is a folder that has been configured already.
set -eu
KGEN_BUILD_DIR=${KGEN_BUILD_DIR:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)/build/release}
. "$(dirname -- "$0")/setup.sh"

[ $# -le 1 ] || { say "usage: sh cmake/release.sh [FOLDER]" >&2 && exit 2; }
# shellcheck disable=SC2086
kgen_install $kgen_build_packages dpkg-dev
mkdir -p "${1:-$kgen_source/build/release-files}"
folder=$(CDPATH='' cd -- "${1:-$kgen_source/build/release-files}" && pwd)
[ -z "$(ls -A "$folder")" ] || { say "'$folder' is not empty: expected a folder for this release alone; remove what is there, or name another one" >&2 && exit 1; }
# It is made beside the folder and renamed at the end; a run that was killed leaves it for the next one to remove.
made=$(dirname -- "$folder")/.$(basename -- "$folder").kgen-release
trap 'rm -rf "$made"' EXIT
trap 'exit 1' HUP INT TERM
rm -rf "$made"
mkdir "$made"
if $kgen_new; then kgen_configure -DKGEN_BUILD_TESTS=OFF; fi
say "Building kgen and kgen-opt"
cmake --build "$kgen_build" --parallel "$kgen_jobs" --target kgen kgen-opt
version=$("$kgen_build/bin/kgen" --version | cut -d ' ' -f 2)
quietly "Making the package" sh -c 'cd "$1" && cpack -G DEB -B "$2"' sh "$kgen_build" "$made"
rm -rf "$made/_CPack_Packages"
repository=0
git -C "$kgen_source" rev-parse --verify --quiet HEAD >/dev/null 2>&1 || repository=$?
case $repository in
0) git -C "$kgen_source" archive --prefix="kgen-$version/" -o "$made/kgen-$version.tar.gz" HEAD ;;
128) say "The source tree is no git repository: there is no archive of the sources" >&2 ;;
*) say "git cannot read the source tree: exit code $repository" >&2 && exit 1 ;;
esac
(cd "$made" && sha256sum -- * >SHA256SUMS)
[ -n "${KGEN_NO_SYNC:-}" ] || sync -- "$made"/* "$made"
mv -T -- "$made" "$folder"
say "In $folder:"
(cd "$folder" && ls -s --block-size=1) || true
