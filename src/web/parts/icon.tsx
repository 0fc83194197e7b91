const icons = {
  archive: 'M2.5 3.2h11v3h-11zM3.5 6.2V13h9V6.2M6.5 8.8h3',
  at: 'M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM10.5 5.5V9a1.5 1.5 0 0 0 3 0V8a5.5 5.5 0 1 0-2.2 4.4',
  back: 'M10 3.5 5.5 8l4.5 4.5',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1.2 1H2.8zM6.5 13.5a1.6 1.6 0 0 0 3 0',
  'bell-off':
    'M4 11V7c0-.9.3-1.7.8-2.4M6.8 3.2A4 4 0 0 1 12 7v2.5M10.5 12H2.8L4 11M6.5 13.5a1.6 1.6 0 0 0 3 0M2.5 2.5l11 11',
  browse: 'M8 13.5A5.5 5.5 0 1 0 8 2.5a5.5 5.5 0 0 0 0 11zM10.3 5.7 9 9l-3.3 1.3L7 7z',
  bold: 'M5 3h3.4a2.5 2.5 0 0 1 0 5H5zM5 8h4a2.5 2.5 0 0 1 0 5H5z',
  check: 'M3 8.5 6.5 12 13 4.5',
  checklist: 'M2.2 4.2l1.3 1.3 2-2.5M2.2 11.2l1.3 1.3 2-2.5M8.5 4.5h5M8.5 11.5h5',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.5',
  close: 'M4 4l8 8M12 4l-8 8',
  code: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  comment: 'M3.5 3h9a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H7.5l-3 2.5V11h-1a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1z',
  download: 'M8 2.5v8M4.8 7.5 8 10.7l3.2-3.2M3 13.5h10',
  dots: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  down: 'M4 6.2 8 10.2l4-4',
  edit: 'M3 13l.6-2.8L10.8 3l2.2 2.2-7.2 7.2z',
  emoji: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.7 9.6c.5.8 1.3 1.2 2.3 1.2s1.8-.4 2.3-1.2M6.1 6.5h.01M9.9 6.5h.01',
  eye: 'M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  file: 'M4 2h5l3.2 3.2V14H4zM9 2v3.2h3.2',
  'file-archive': 'M4 2h5l3.2 3.2V14H4zM9 2v3.2h3.2M6.8 4.5h.01M6.8 6.7h.01M6.8 8.9h.01M6 11h1.8v1H6z',
  'file-audio': 'M4 2h5l3.2 3.2V14H4zM9 2v3.2h3.2M7 11.5a1 1 0 1 1-.01-.01zM7.2 11.2V7.6l2.3-.6v1.2',
  'file-code': 'M4 2h5l3.2 3.2V14H4zM9 2v3.2h3.2M7 8 5.7 9.5 7 11M9.2 8l1.3 1.5L9.2 11',
  'file-image': 'M2.5 3h11v10h-11zM2.5 11l3.2-3.2 2.6 2.6 1.7-1.7 3.5 3.3M10.5 6h.01',
  'file-table': 'M4 2h5l3.2 3.2V14H4zM9 2v3.2h3.2M6 8h4.2M6 10h4.2M6 12h4.2M8.1 8v4',
  'file-text': 'M4 2h5l3.2 3.2V14H4zM9 2v3.2h3.2M6 8h4.2M6 10h4.2M6 12h2.4',
  'file-video': 'M2.5 3.5h11v9h-11zM6.8 6.2v3.6L9.8 8z',
  forward: 'M6 3.5 10.5 8 6 12.5',
  hash: 'M3 6h10.5M2.5 10H13M6.5 3 5 13M11 3 9.5 13',
  image:
    'M4 3h8a1.5 1.5 0 0 1 1.5 1.5v7A1.5 1.5 0 0 1 12 13H4a1.5 1.5 0 0 1-1.5-1.5v-7A1.5 1.5 0 0 1 4 3zM6 7.2a.8.8 0 1 0 0-1.6.8.8 0 0 0 0 1.6zM3 12l3.5-3.5 2 2 2-2 3 2.5',
  inbox: 'M2.5 9.5 4.5 3h7l2 6.5V13h-11zM2.5 9.5H6a2 2 0 0 0 4 0h3.5',
  keyboard: 'M2 4.5h12v7H2zM4.5 7h.01M7 7h.01M9.5 7h.01M12 7h.01M5 9.5h6',
  leave: 'M6.5 3H3v10h3.5M6 8h7.5M10.5 5l3 3-3 3',
  italic: 'M6.5 3h5M4.5 13h5M9 3 7 13',
  link: 'M6.5 9.5l3-3M7 4.5 8.4 3.1a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5 7.6 12.9a3.2 3.2 0 0 1-4.5-4.5L4.5 7',
  list: 'M6 4h7.5M6 8h7.5M6 12h7.5M2.7 4h.01M2.7 8h.01M2.7 12h.01',
  'list-ordered': 'M6.5 4h7M6.5 8h7M6.5 12h7M2.3 3.1l1-.6v3M2.2 10.5c0-.6.4-1 1-1s1 .4 1 .9c0 .8-2 1.2-2 2.2h2.1',
  lock: 'M4 7.5h8V13H4zM5.5 7.5V5.3a2.5 2.5 0 0 1 5 0v2.2',
  mention: 'M8 10.6a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2zM10.6 5.4v3.4a1.6 1.6 0 0 0 3.2 0V8A5.8 5.8 0 1 0 11 12.9',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  offline:
    'M2.5 6.5a8 8 0 0 1 2.5-1.6M8 4.2c2 0 4 .8 5.5 2.3M5 9a4.5 4.5 0 0 1 2-1.1M10.2 8.4l.8.6M8 11.8h.01M2.5 2.5l11 11',
  open: 'M9 3h4v4M13 3 7.5 8.5M11.5 9.5V13H3V4.5h3.5',
  paperclip: 'M12.8 7.3 8 12.1a3 3 0 0 1-4.3-4.3l5-5a2 2 0 0 1 2.9 2.9l-4.9 4.9a1 1 0 0 1-1.4-1.4l4.4-4.4',
  people:
    'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6zM2 13.2c.3-2.3 1.9-3.7 4-3.7s3.7 1.4 4 3.7M10.7 7.4a2 2 0 0 0 0-4M12 9.9c1.2.5 1.9 1.7 2 3.3',
  pin: 'M6 2.5h4M6.7 2.5v4.2L4.5 9.5h7L9.3 6.7V2.5M8 9.5v4',
  plus: 'M8 3v10M3 8h10',
  posts:
    'M3.5 2.8h9a1 1 0 0 1 1 1v2a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1v-2a1 1 0 0 1 1-1zM3.5 9.2h9a1 1 0 0 1 1 1v2a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1v-2a1 1 0 0 1 1-1z',
  quote: 'M3 4v8M6.5 5h7M6.5 8h7M6.5 11h4.5',
  reopen: 'M3 8a5 5 0 1 0 1.6-3.7M3 2.5v3h3',
  reply: 'M6.5 4 3 7.5 6.5 11M3 7.5h6a4 4 0 0 1 4 4v1',
  retry: 'M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3',
  saved: 'M4.5 2.5h7v11L8 10.6l-3.5 2.9z',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3 13.5 13.5',
  settings:
    'M2.5 5h5M11.5 5h2M9.5 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM2.5 11h2M8.5 11h5M6.5 13a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  star: 'm8 2.5 1.7 3.5 3.8.5-2.8 2.7.7 3.8L8 11.2 4.6 13l.7-3.8L2.5 6.5 6.3 6z',
  strike: 'M2.5 8h11M11 5c-.3-1.2-1.4-2-3-2-1.8 0-3 .9-3 2.3 0 .5.2 1 .5 1.4M5 11c.3 1.2 1.4 2 3 2 1.8 0 3-.9 3-2.3',
  table:
    'M4 3h8a1.5 1.5 0 0 1 1.5 1.5v7A1.5 1.5 0 0 1 12 13H4a1.5 1.5 0 0 1-1.5-1.5v-7A1.5 1.5 0 0 1 4 3zM2.5 6.5h11M2.5 9.8h11M7 6.5V13',
  threads: 'M2.5 3.5h11v7.5h-6L4.5 13.5V11h-2z',
  unread: 'M8 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z',
  up: 'M4 9.8 8 5.8l4 4',
  warning: 'M8 3l6 10H2zM8 6.8v2.7M8 11.3h.01',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
} as const

export type IconName = keyof typeof icons

/** A decorative icon. Used alone, its button needs a label. */
export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor" aria-hidden="true">
    <path d={icons[name]} strokeWidth={name === 'dots' ? 2.4 : 1.5} strokeLinecap="round" strokeLinejoin="round" />
  </svg>
)

const SVG = 'http://www.w3.org/2000/svg'

/** The same for content that is not rendered by React. */
export function createIcon(name: IconName): SVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  const path = document.createElementNS(SVG, 'path')
  const attributes = { width: '16', height: '16', viewBox: '0 0 16 16', fill: 'none', stroke: 'currentColor' }
  for (const [attribute, value] of Object.entries(attributes)) svg.setAttribute(attribute, value)
  svg.setAttribute('aria-hidden', 'true')
  path.setAttribute('d', icons[name])
  path.setAttribute('stroke-width', '1.5')
  path.setAttribute('stroke-linecap', 'round')
  path.setAttribute('stroke-linejoin', 'round')
  svg.append(path)
  return svg
}
