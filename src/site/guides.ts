import { html } from '../domain/html'
import { readGuideFiles } from './guide-files' with { type: 'macro' }
import { type Heading, type Rendered, renderDocument, toAnchor } from './markdown'
import { guideUrl, HOME } from './urls'

export interface Guide {
  /** Its path under /docs. */
  slug: string
  title: string
  /** In the folder `docs`. */
  file: string
  /** The part of the file under this second-level heading. Without it, the whole file. */
  section?: string
}

const sectionsOf = (file: string, sections: readonly (readonly [title: string, section: string, slug?: string])[]) =>
  sections.map(([title, heading, slug]): Guide => {
    const section = toAnchor(heading)
    return { slug: slug ?? section, title, file, section }
  })

/** All guides in the order they are listed. */
const registry: { title: string; guides: Guide[] }[] = [
  {
    title: 'Start',
    guides: [
      { slug: 'getting-started', title: 'First request', file: 'getting-started.md' },
      { slug: 'client', title: 'TypeScript client', file: 'client.md' },
      { slug: 'agents', title: 'Agents (MCP)', file: 'agents.md' },
      { slug: 'incoming-webhooks', title: 'Incoming webhooks', file: 'incoming-webhooks.md' },
    ],
  },
  {
    title: 'How the API behaves',
    guides: sectionsOf('api.md', [
      ['Authentication', 'Authentication'],
      ['Permissions', 'Who may do what', 'permissions'],
      ['Pages', 'Pages'],
      ['Errors', 'Errors'],
      ['Limits', 'Limits'],
      ['Idempotency', 'Sending a write again', 'idempotency'],
      ['Caching', 'Reading only what changed', 'caching'],
      ['Markdown', 'Markdown'],
      ['From a browser', 'From a browser'],
      ['Versions', 'Versions'],
    ]),
  },
  {
    title: 'Build',
    guides: [
      { slug: 'events', title: 'Events and webhooks', file: 'events.md' },
      { slug: 'sync', title: 'Mirroring a workspace', file: 'sync.md' },
      { slug: 'files', title: 'Files', file: 'files.md' },
      { slug: 'reactions-and-drafts', title: 'Reactions, pins and drafts', file: 'reactions-and-drafts.md' },
      ...sectionsOf('api.md', [
        ['Search', 'Search'],
        ['Unread state', 'Unread state'],
      ]),
      { slug: 'searching', title: 'Search queries', file: 'searching.md' },
      { slug: 'writing', title: 'Writing in the web app', file: 'writing.md' },
      { slug: 'campsite', title: 'Coming from Campsite', file: 'campsite.md' },
      ...sectionsOf('api.md', [['Details of the interface', 'What the interface leaves open', 'interface']]),
    ],
  },
  {
    title: 'Run a server',
    guides: [
      { slug: 'self-hosting', title: 'Self-hosting', file: 'self-hosting.md' },
      { slug: 'notifications', title: 'Notifications', file: 'notifications.md' },
      { slug: 'security', title: 'Security', file: 'security.md' },
    ],
  },
]

/** Sections of docs/api.md that the reference replaces, or that are about the project itself. */
export const internalSections = ['every-operation', 'what-proves-it']

const files = readGuideFiles()

export const guideGroups = registry.map(({ title, guides }) => ({
  title,
  guides: guides.filter(({ file }) => file in files),
}))

export const guides = guideGroups.flatMap((group) => group.guides)

/** A guide, with its headings beside it; undefined if there is none. */
export function guidePage(slug: string, base: string) {
  const guide = guides.find((each) => each.slug === slug)
  if (!guide) return undefined
  const { html: content, headings } = renderGuide(guide, base)
  const listed = headings.filter(({ level }) => level === 2)
  return {
    title: guide.title,
    body: html`<article class="guide"><h1>${guide.title}</h1>${content}</article>`,
    aside:
      listed.length > 1
        ? html`<aside class="contents" aria-label="On this page"><h2>On this page</h2><ul>${listed.map(
            ({ text, anchor }) => html`<li><a href="#${anchor}" data-spy>${text}</a></li>`,
          )}</ul></aside>`
        : undefined,
  }
}

/** Where the server is in the documents; guides to the API show where it really is. */
const LOCAL = 'http://localhost:3000'

export function renderGuide({ file, section }: Guide, base = LOCAL): Rendered {
  const source = file === 'self-hosting.md' ? files[file]! : files[file]!.replaceAll(LOCAL, base)
  const markdown = section ? splitSections(source).get(section) : source.replace(/^# .*\n/, '')
  if (markdown === undefined) throw new Error(`${file} has no section ${section}.`)
  return renderDocument(markdown, {
    resolve: (href) => resolveLink(file, href),
    shift: section ? -1 : 0,
    listsErrors: file === 'api.md' && section === 'errors',
  })
}

/** The headings of a guide. */
export const headingsOf = (guide: Guide): Heading[] => renderGuide(guide).headings

/** The parts of a document by the anchors of their second-level headings. */
export function splitSections(markdown: string): Map<string, string> {
  const sections = new Map<string, string[]>()
  let current: string[] | undefined
  let isInCode = false
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isInCode = !isInCode
    const heading = isInCode ? undefined : line.match(/^## (.+)$/)?.[1]
    if (heading) {
      current = []
      sections.set(toAnchor(heading), current)
    } else current?.push(line)
  }
  return new Map([...sections].map(([anchor, lines]) => [anchor, lines.join('\n')]))
}

/** Where a link of a document goes; undefined if that is not part of the documentation. */
function resolveLink(from: string, href: string): string | undefined {
  if (/^(https?|mailto):/.test(href)) return href
  const [path, anchor] = href.split('#') as [string, string?]
  const file = path === '' ? from : path
  if (file === 'openapi.json') return '/v2/openapi.json'
  const whole = guides.find((guide) => guide.file === file && !guide.section)
  if (whole) return anchor ? `${guideUrl(whole.slug)}#${anchor}` : guideUrl(whole.slug)
  return file === 'api.md' ? resolveSection(anchor) : undefined
}

/** Where a part of docs/api.md is, each section of which is a guide. */
function resolveSection(anchor: string | undefined): string | undefined {
  if (!anchor) return HOME
  if (anchor === 'every-operation') return `${HOME}#operations`
  const exact = guides.find(({ file, section }) => file === 'api.md' && section === anchor)
  if (exact) return guideUrl(exact.slug)
  const sections = splitSections(files['api.md']!)
  const around = guides.find(({ file, section }) => {
    const lines = file === 'api.md' && section ? sections.get(section)!.split('\n') : []
    return lines.some((line) => line.startsWith('###') && toAnchor(line.replace(/^#+ /, '')) === anchor)
  })
  return around && `${guideUrl(around.slug)}#${anchor}`
}
