# docs/Tutorial.md is true: its commands, run in an empty folder, print what it says. The model comes from npm, or from npm's cache.
. "$(dirname -- "$0")/common.sh"
/usr/bin/python3 -c "import numpy" || exit 77
command -v npm >/dev/null || { echo "no npm" && exit 77; }
export npm_config_prefer_offline=true npm_config_fetch_retries=0 npm_config_fetch_timeout=30000 npm_config_update_notifier=false
package=$(grep -o '@[a-z0-9]*/[a-z0-9-]*@[0-9.]*' "$KGEN_SOURCE/docs/Tutorial.md" | head -n 1)
mkdir fetched
(cd fetched && npm pack --silent "$package" >../fetched.txt 2>&1) || { cat fetched.txt && echo "npm cannot fetch $package" && exit 77; }
cmake --install "$KGEN_BUILD" --prefix "$WORK/prefix" >/dev/null
for program in cc=$CC c++=$CXX python3=/usr/bin/python3; do
  ln -s "$(command -v "${program#*=}")" "prefix/bin/${program%%=*}"
done
mkdir -p empty
cd empty
export PATH="$WORK/prefix/bin:$PATH" CMAKE_GENERATOR=Ninja CC=cc CXX=c++ PYTHONDONTWRITEBYTECODE=1
python3 -B "$here/onnx_docs.py" "$KGEN_SOURCE/docs/Tutorial.md" 25
