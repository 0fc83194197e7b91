/** Longer blocks stay plain: highlighting them would freeze the page. */
const MAX_HIGHLIGHTED = 20_000
const COPIED_MS = 2_000

/** Adds a Copy button to the code blocks of a text, and colours to blocks that name their language. */
export function enhanceCodeBlocks(root: Element) {
  const highlighted: [HTMLElement, string][] = []
  for (const code of root.querySelectorAll<HTMLElement>('pre > code')) {
    addCopyButton(code)
    const language = code.className.match(/^language-(.+)$/)?.[1]?.toLowerCase()
    if (language && code.textContent!.length <= MAX_HIGHLIGHTED) highlighted.push([code, language])
  }
  if (highlighted.length === 0) return
  // Without the colours, the code is still readable.
  void import('./highlight-code').then(
    ({ highlightCode }) => {
      for (const [code, language] of highlighted) if (code.isConnected) highlightCode(code, language)
    },
    () => {},
  )
}

function addCopyButton(code: HTMLElement) {
  const block = document.createElement('div')
  block.className = 'code-block'
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'button copy-code'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', 'Copy code')
  button.addEventListener('click', () => void copy(code, button))
  code.parentElement!.replaceWith(block)
  block.append(code.parentElement!, button)
}

async function copy(code: HTMLElement, button: HTMLButtonElement) {
  try {
    await navigator.clipboard.writeText(code.textContent!)
    setLabel(button, 'Copied', 'Copied')
  } catch {
    // Without access to the clipboard, the code is selected to be copied by hand.
    getSelection()!.selectAllChildren(code)
    setLabel(button, 'Selected', 'Selected, press Ctrl+C to copy')
  }
  setTimeout(() => setLabel(button, 'Copy', 'Copy code'), COPIED_MS)
}

function setLabel(button: HTMLButtonElement, text: string, name: string) {
  button.textContent = text
  button.setAttribute('aria-label', name)
}
