#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""build.py FOLDER: README, docs, samples and manual pages as one site, FOLDER/site, by MkDocs and mandoc. A page, image or
heading that a link leads to and that is not there is an error."""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MANUAL = re.compile(r"(man/[\w-]+\.\d)\)")


def manual_page(source):
    """As Markdown, which HTML is."""
    html = subprocess.run(["mandoc", "-T", "html", "-O", "fragment,man=%N.%S.html", source], check=True, capture_output=True,
                          text=True).stdout
    # References to pages of others than fabricscope lead nowhere here.
    html = re.sub(r'<a class="Xr" href="(?!(?:lib)?fabricscope)[^"]*">([^<]*)</a>', r"\1", html)
    return f"# {source.stem}({source.suffix[1:]})\n\n" + re.sub(r"\n\s*\n", "\n", html)


def stage(pages):
    """All Markdown with the links it has, of which those to manual pages get a suffix."""
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs" / "images", pages / "docs" / "images")
    shutil.copytree(ROOT / "samples", pages / "samples", ignore=shutil.ignore_patterns("CMakeLists.txt"))
    texts = {path.relative_to(ROOT): path for folder in ("docs", "replay") for path in (ROOT / folder).glob("*.md")}
    texts |= {pathlib.Path("index.md"): ROOT / "README.md", pathlib.Path("samples/README.md"): ROOT / "samples" / "README.md"}
    for place, source in texts.items():
        target = pages / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(MANUAL.sub(r"\1.md)", source.read_text()).replace("](../README.md", "](../index.md"))
    manual = pages / "docs" / "man"
    manual.mkdir()
    sources = sorted((ROOT / "docs" / "man").glob("*.[13]"))
    for source in sources:
        (manual / f"{source.name}.md").write_text(manual_page(source))
    return [f"      - {source.stem}: docs/man/{source.name}.md" for source in sources]


def main(folder):
    manual = stage(folder / "pages")
    shutil.copytree(ROOT / "docs" / "site" / "theme", folder / "theme", dirs_exist_ok=True)
    configuration = (ROOT / "docs" / "site" / "mkdocs.yml").read_text().replace("MANUAL_PAGES", "\n".join(manual))
    (folder / "mkdocs.yml").write_text(configuration)
    subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--clean", "--config-file", folder / "mkdocs.yml"], check=True)
    for name in ("sitemap.xml", "sitemap.xml.gz"):  # with the time of writing, and of no use without a host
        (folder / "site" / name).unlink(missing_ok=True)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
