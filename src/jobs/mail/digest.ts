import { html } from '../../domain/html'
import type { Notice } from '../notices'
import { renderLetter } from './template'
import type { Mail } from './transport'

interface DigestDetails {
  to: string
  memberId: string
  workspace: string
  base: string
  notices: readonly Notice[]
  /** There is more than the mail shows. */
  hasMore: boolean
  /** The revision it reaches up to. */
  revision: number
  unsubscribeUrl: string
}

const TITLE = 'margin:0;font-size:15px;font-weight:600'
const EXCERPT = 'margin:4px 0 0;color:#4a4a4f'
const WHAT = 'margin:2px 0 0;color:#6b6b70;font-size:13px'

/** A mail about what is unread. The same revision has the same id, so that receivers can drop a second one. */
export function renderDigest(digest: DigestDetails): Mail {
  const { to, memberId, workspace, base, notices, hasMore, revision, unsubscribeUrl } = digest
  const host = new URL(base).hostname
  const [first] = notices
  const isOne = notices.every(({ subjectId }) => subjectId === first!.subjectId) && !hasMore
  const subject = isOne ? `${first!.what} · ${first!.title}` : `${workspace}: ${countOf(notices, hasMore)} unread`
  const letter = {
    title: isOne ? first!.title : `What’s new in ${workspace}`,
    paragraphs: [],
    more: { text: notices.map((notice) => toText(base, notice)).join('\n\n'), html: toHtml(base, notices) },
    buttons: [{ label: hasMore ? 'See everything in your inbox' : 'Open inbox', url: `${base}/inbox` }],
    footer: [
      `You get this e-mail because it is unread in ${workspace}. Change how often: ${base}/settings/notifications`,
      `Stop these e-mails: ${unsubscribeUrl}`,
    ],
  }
  return {
    to,
    subject,
    ...renderLetter(letter),
    messageId: `<digest.${revision}.${memberId}@${host}>`,
    // Mail clients show mails about one post as one conversation.
    ...(isOne && { references: [`<${first!.subjectId}.${memberId}@${host}>`] }),
    headers: {
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}

const countOf = (notices: readonly Notice[], hasMore: boolean) => `${notices.length}${hasMore ? '+' : ''}`

const toText = (base: string, { title, what, excerpt, path }: Notice) =>
  [title, what, ...(excerpt ? [`> ${excerpt}`] : []), base + path].join('\n')

const toHtml = (base: string, notices: readonly Notice[]) =>
  html`${notices.map(
    ({ title, what, excerpt, path }) => html`<div style="padding:14px 0;border-top:1px solid #ecebe7">
<p dir="auto" style="${TITLE}"><a href="${base + path}" style="color:#1d1d1f;text-decoration:none">${title}</a></p>
<p dir="auto" style="${WHAT}">${what}</p>
${excerpt ? html`<p dir="auto" style="${EXCERPT}">${excerpt}</p>\n` : undefined}</div>
`,
  )}`
