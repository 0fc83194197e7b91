const COPIED = [
  ...([
    'boxSizing',
    'width',
    'fontFamily',
    'fontSize',
    'fontWeight',
    'letterSpacing',
    'lineHeight',
    'tabSize',
  ] as const),
  ...(['paddingTop', 'paddingRight', 'paddingBottom', 'paddingLeft', 'borderTopWidth', 'borderLeftWidth'] as const),
  ...(['borderRightWidth', 'borderBottomWidth', 'wordSpacing', 'textTransform', 'textIndent'] as const),
]

/** Where a character of a text area is in the window. Measured on a copy, since browsers do not report it. */
export function measureCharacter(area: HTMLTextAreaElement, at: number) {
  const copy = document.createElement('div')
  const style = getComputedStyle(area)
  for (const name of COPIED) copy.style[name] = style[name]
  Object.assign(copy.style, {
    position: 'absolute',
    top: '0',
    visibility: 'hidden',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'break-word',
    borderStyle: 'solid',
  })
  const letter = document.createElement('span')
  copy.append(area.value.slice(0, at), letter)
  letter.textContent = area.value.slice(at, at + 1) || '.'
  document.body.append(copy)
  const { offsetLeft, offsetTop } = letter
  copy.remove()
  const box = area.getBoundingClientRect()
  return {
    x: box.left + offsetLeft - area.scrollLeft,
    y: box.top + offsetTop - area.scrollTop,
    height: Number.parseFloat(style.lineHeight),
  }
}
