import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import markdown from 'highlight.js/lib/languages/markdown'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import shell from 'highlight.js/lib/languages/shell'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

const languages = {
  ...{ bash, c, cpp, csharp, css, diff, go, java, javascript, json, kotlin, markdown, php, python, ruby, rust, shell },
  ...{ sql, swift, typescript, xml, yaml },
}
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language)

/** Colours the text of an element, if the language is known. Its text stays the same. */
export function highlightCode(element: Element, language: string) {
  if (!highlighter.getLanguage(language)) return
  const text = element.textContent!
  const { value } = highlighter.highlight(text, { language, ignoreIllegals: true })
  const nodes = toNodes(value)
  if (nodes.textContent === text) element.replaceChildren(nodes)
}

/** A piece of code with the class of its colour. */
export interface Coloured {
  start: number
  end: number
  className: string
}

/** The colours of a text; none if the language is not known. */
export function findColours(text: string, language: string): Coloured[] {
  if (!highlighter.getLanguage(language)) return []
  const root = toNodes(highlighter.highlight(text, { language, ignoreIllegals: true }).value)
  if (root.textContent !== text) return []
  const colours: Coloured[] = []
  let at = 0
  const visit = (node: Node, className: string) => {
    if (node instanceof Text) {
      if (className) colours.push({ start: at, end: at + node.length, className })
      at += node.length
    } else for (const child of node.childNodes) visit(child, node instanceof Element ? node.className : className)
  }
  visit(root, '')
  return colours
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'" }

/** The highlighter returns HTML of spans and text. It becomes elements without being parsed as HTML. */
function toNodes(html: string): DocumentFragment {
  const root = document.createDocumentFragment()
  const open: ParentNode[] = [root]
  for (const part of html.split(/(<span class="[^"<>]*">|<\/span>)/)) {
    const name = part.match(/^<span class="(.*)">$/)?.[1]
    if (part === '</span>') open.pop()
    else if (name !== undefined) {
      const span = document.createElement('span')
      span.className = name
      open.at(-1)!.append(span)
      open.push(span)
    } else open.at(-1)!.append(part.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity]!))
  }
  return root
}
