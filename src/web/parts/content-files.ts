import { getFileIcon } from './file-kind'
import { createIcon } from './icon'

const MISSING = 'This file is no longer available'

/** Prepares the files in a text: pictures keep their proportions while they load, cards get icons, and missing files get a message. */
export function enhanceFiles(content: HTMLElement) {
  for (const media of content.querySelectorAll<HTMLElement>('.file-image img, .file-video video')) reserveSpace(media)
  for (const image of content.querySelectorAll<HTMLImageElement>('.file-image a'))
    image.setAttribute('aria-label', `Open image${describe(image)}`)
  for (const link of content.querySelectorAll('.file-card > a'))
    link.prepend(createIcon(getFileIcon(link.querySelector('.file-name')?.textContent ?? '')))
  for (const media of content.querySelectorAll('[data-file] :is(img, video, audio)'))
    media.addEventListener('error', () => replaceByNote(media), { once: true })
}

function describe(link: Element): string {
  const alt = link.querySelector('img')?.alt
  return alt ? `: ${alt}` : ''
}

/** Limits the width of a picture so that it is not higher than allowed, before it is loaded. */
function reserveSpace(media: HTMLElement) {
  const [width, height] = [Number(media.getAttribute('width')), Number(media.getAttribute('height'))]
  if (!width || !height) return
  media.style.setProperty('--width', String(width))
  media.style.setProperty('--ratio', String(width / height))
}

/** A file that was deleted, or that a reader may no longer see. */
function replaceByNote(media: Element) {
  const note = document.createElement('p')
  note.className = 'file-missing'
  note.textContent = MISSING
  media.closest('[data-file]')?.replaceWith(note)
}
