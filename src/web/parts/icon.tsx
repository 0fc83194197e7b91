const paths = {
  back: 'M10 3.5 5.5 8l4.5 4.5',
  check: 'M3 8.5 6.5 12 13 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  dots: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  edit: 'M3 13l.6-2.8L10.8 3l2.2 2.2-7.2 7.2z',
  hash: 'M3 6h10.5M2.5 10H13M6.5 3 5 13M11 3 9.5 13',
  link: 'M6.5 9.5l3-3M7 4.5 8.4 3.1a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5 7.6 12.9a3.2 3.2 0 0 1-4.5-4.5L4.5 7',
  lock: 'M4 7.5h8V13H4zM5.5 7.5V5.3a2.5 2.5 0 0 1 5 0v2.2',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  people:
    'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6zM2 13.2c.3-2.3 1.9-3.7 4-3.7s3.7 1.4 4 3.7M10.7 7.4a2 2 0 0 0 0-4M12 9.9c1.2.5 1.9 1.7 2 3.3',
  plus: 'M8 3v10M3 8h10',
  posts: 'M3 3.5h10M3 8h10M3 12.5h6',
  reopen: 'M3 8a5 5 0 1 0 1.6-3.7M3 2.5v3h3',
  reply: 'M6.5 4 3 7.5 6.5 11M3 7.5h6a4 4 0 0 1 4 4v1',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3 13.5 13.5',
  settings:
    'M2.5 5h5M11.5 5h2M9.5 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM2.5 11h2M8.5 11h5M6.5 13a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  threads: 'M2.5 3.5h11v7.5h-6L4.5 13.5V11h-2z',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
} as const

export type IconName = keyof typeof paths

/** A decorative icon. Used alone, its button needs a label. */
export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor" aria-hidden="true">
    <path d={paths[name]} strokeWidth={name === 'dots' ? 2.4 : 1.5} strokeLinecap="round" strokeLinejoin="round" />
  </svg>
)
