import { findWords, listQueryWords } from '../data/search'

const NAME = 'search'
/** The elements with what people wrote: titles and texts. */
const TEXTS = 'main h1, main .content'
const MAX_RANGES = 2_000

/** Highlights the words of a query on the page, also in what is loaded later, until the signal is aborted. */
export function highlightWords(q: string, signal: AbortSignal) {
  const words = listQueryWords(q)
  if (words.length === 0) return
  let frame = 0
  const update = () => {
    CSS.highlights.set(NAME, new Highlight(...findRanges(words).slice(0, MAX_RANGES)))
  }
  const observer = new MutationObserver(() => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(update)
  })
  observer.observe(document.body, { childList: true, subtree: true, characterData: true })
  signal.addEventListener('abort', () => {
    observer.disconnect()
    cancelAnimationFrame(frame)
    CSS.highlights.delete(NAME)
  })
  update()
}

const findRanges = (words: ReturnType<typeof listQueryWords>): Range[] =>
  [...document.querySelectorAll(TEXTS)].flatMap((element) =>
    listTextNodes(element).flatMap((node) => findWords(node.data, words).map((found) => createRange(node, found))),
  )

function listTextNodes(root: Element): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const nodes: Text[] = []
  while (walker.nextNode()) nodes.push(walker.currentNode as Text)
  return nodes
}

function createRange(node: Text, [from, to]: [number, number]): Range {
  const range = new Range()
  range.setStart(node, from)
  range.setEnd(node, to)
  return range
}
