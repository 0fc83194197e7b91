import { CONFIRM_MS } from '../../accounts/invite-links'
import { EMAIL_CHANGE_MS } from '../../actions/me-email'
import { type Html, html } from '../../domain/html'
import { hashSecret, newSecret } from '../../domain/secrets'
import type { Parley } from '../../gate/parley'
import { findOpenInviteLinkByKey, insertPendingJoin } from '../../store/accounts/invite-links'
import { type AccountLinkKind, insertAccountLink } from '../../store/accounts/links'
import { findEmailChange } from '../../store/accounts/passwords'
import {
  findMembersWithEmail,
  findRecipient,
  isStillDue,
  type MailKind,
  type MailRow,
} from '../../store/attention/mails'
import type { Writer } from '../../store/engines/db'
import { findMemberByEmail } from '../../store/people/members'
import { lockWorkspaces } from '../../store/people/workspaces'

const HOUR_MS = 60 * 60 * 1000
const WEEK_MS = 7 * 24 * HOUR_MS

interface Composed {
  to: string
  content: MailContent
}

interface ComposeContext {
  db: Writer
  mail: MailRow
  base: string
  now: number
}

type Compose = (context: ComposeContext) => Promise<Composed | undefined>

/**
 * Writes a mail as things are now, and makes the links in it. They are committed before the mail is sent, and only their
 * hashes are stored. Undefined if there is nobody to send it to any more.
 */
export const composeMail = ({ links, clock }: Parley, db: Writer, mail: MailRow): Promise<Composed | undefined> =>
  composers[mail.kind]({ db, mail, base: links.base, now: clock() })

const composers: Record<MailKind, Compose> = {
  async invitation(context) {
    const member = await findActive(context)
    if (!member) return undefined
    const url = await signInUrl(context, member, WEEK_MS)
    return { to: member.email, content: invitationMail({ workspace: member.workspace_name, url }) }
  },
  async join(context) {
    const { db, mail, base, now } = context
    // The link may be getting a new address, which cancels the mails for the old one.
    await lockWorkspaces(db, [mail.workspace_key])
    const link = await findOpenInviteLinkByKey(db, mail.link_key, now)
    if (!link || isLate(context) || !(await isStillDue(db, mail))) return undefined
    const workspace = link.workspace_name
    const member = await findMemberByEmail(db, link.workspace_key, mail.address)
    if (member?.is_deactivated) return undefined
    if (member) {
      const [own] = (await findMembersWithEmail(db, mail.address)).filter(
        ({ author_key }) => author_key === member.author_key,
      )
      return { to: mail.address, content: alreadyInMail({ workspace, url: await signInUrl(context, own!, HOUR_MS) }) }
    }
    const secret = newSecret()
    const pending = { link_key: link.key, email: mail.address, hash: hashSecret(secret) }
    await insertPendingJoin(db, { ...pending, created_at: now, expires_at: now + CONFIRM_MS })
    return { to: mail.address, content: joinMail({ workspace, url: `${base}/join#token=${secret}` }) }
  },
  async password_reset(context) {
    const members = await findMembersWithEmail(context.db, context.mail.address)
    if (members.length === 0 || isLate(context)) return undefined
    const url = `${context.base}/reset-password#token=${await newLink(context, 'password_reset', members, HOUR_MS)}`
    return { to: context.mail.address, content: passwordResetMail(url) }
  },
  async sign_in_link(context) {
    const members = await findMembersWithEmail(context.db, context.mail.address)
    if (members.length === 0 || isLate(context)) return undefined
    const links = []
    for (const member of members) links.push({ slug: member.slug, url: await signInUrl(context, member, HOUR_MS) })
    return { to: context.mail.address, content: signInMail(links) }
  },
  async email_change(context) {
    const member = await findActive(context)
    const change = await findEmailChange(context.db, context.mail.author_key, context.now)
    // Another change may have been asked for since.
    if (!member || change?.mail_key !== context.mail.key) return undefined
    const url = `${context.base}/confirm-email#token=${await newLink(context, 'email_change', [member], EMAIL_CHANGE_MS)}`
    return { to: change.email, content: emailChangeMail(url) }
  },
  async email_change_notice(context) {
    const member = await findActive(context)
    if (!member) return undefined
    return { to: context.mail.address, content: emailChangeNoticeMail(`${context.base}/settings/security`) }
  },
}

async function findActive({ db, mail }: ComposeContext) {
  const member = await findRecipient(db, mail.author_key)
  return member?.is_deactivated ? undefined : member
}

/** Nobody waits for it any more. */
const isLate = ({ mail, now }: ComposeContext) => now - mail.created_at > HOUR_MS

interface LinkOwner {
  user_key: number
  author_key: number
}

const signInUrl = async (context: ComposeContext, member: LinkOwner, lifetime: number) =>
  `${context.base}/sign-in#token=${await newLink(context, 'sign_in', [member], lifetime)}`

/** Makes a link for these memberships of a person. */
async function newLink(
  { db, mail, now }: ComposeContext,
  kind: AccountLinkKind,
  members: readonly LinkOwner[],
  lifetime: number,
): Promise<string> {
  const secret = newSecret()
  const link = { kind, mail_key: mail.key, hash: hashSecret(secret), created_at: now, expires_at: now + lifetime }
  for (const { user_key, author_key } of members) await insertAccountLink(db, { ...link, user_key, author_key })
  return secret
}

/** What a mail says, before it is text and HTML. */
interface MailContent {
  title: string
  paragraphs: string[]
  buttons: { label: string; url: string }[]
  /** More, between the paragraphs and the buttons. */
  more?: { text: string; html: Html }
  footer: string[]
}

export const renderMail = (content: MailContent): { text: string; html: string } => ({
  text: toText(content),
  html: toHtml(content).text,
})

const toText = ({ title, paragraphs, more, buttons, footer }: MailContent): string =>
  [
    title,
    ...paragraphs,
    ...(more ? [more.text] : []),
    ...buttons.map(({ label, url }) => `${label}:\n${url}`),
    ...(footer.length > 0 ? [`-- \n${footer.join('\n')}`] : []),
  ].join('\n\n')

const BODY =
  "margin:0;padding:24px 12px;background:#f6f6f4;color:#1d1d1f;font:15px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,Ubuntu,sans-serif"
const CARD =
  'max-width:560px;margin:0 auto;padding:28px 32px;background:#fff;border:1px solid #e6e5e1;border-radius:12px'
const HEADING = 'margin:0 0 12px;font-size:19px;line-height:1.35;font-weight:600'
const BUTTON =
  'display:inline-block;padding:10px 18px;border-radius:8px;background:#4f46e5;color:#fff;font-weight:600;text-decoration:none'
const FOOTER = 'max-width:560px;margin:16px auto 0;color:#6b6b70;font-size:13px'

/** Names and titles may be written from right to left: each decides for itself. */
const toHtml = ({ title, paragraphs, more, buttons, footer }: MailContent): Html =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body style="${BODY}">
<div style="${CARD}">
<h1 dir="auto" style="${HEADING}">${title}</h1>
${paragraphs.map((each) => html`<p dir="auto" style="margin:0 0 16px">${each}</p>\n`)}${more?.html}${buttons.map(
  ({ label, url }) => html`<p style="margin:20px 0 0"><a href="${url}" style="${BUTTON}">${label}</a></p>\n`,
)}</div>
${footer.map((line) => html`<p style="${FOOTER}">${line}</p>\n`)}</body></html>`

// Anyone can make this server send these to anyone: with a name, an admin could write to people whom they do not know. So they
// say nothing that someone else chose, except the name of the workspace that someone is invited to or wants to join.

const invitationMail = ({ workspace, url }: { workspace: string; url: string }): MailContent => ({
  title: `Join ${workspace}`,
  paragraphs: [`You were invited to ${workspace}. The link below signs you in. It works once, for a week.`],
  buttons: [{ label: 'Accept invitation', url }],
  footer: ['If you did not expect this invitation, you can ignore this e-mail.'],
})

const joinMail = ({ workspace, url }: { workspace: string; url: string }): MailContent => ({
  title: `Join ${workspace}`,
  paragraphs: [
    `You asked to join ${workspace} with this address. The link below confirms that it is yours. It works once, within a day.`,
  ],
  buttons: [{ label: 'Confirm and join', url }],
  footer: ['If it was not you, you can ignore this e-mail. Nobody joins with your address.'],
})

const alreadyInMail = ({ workspace, url }: { workspace: string; url: string }): MailContent => ({
  title: `Sign in to ${workspace}`,
  paragraphs: [
    `Someone asked to join ${workspace} with this address, which is a member already. Use this link to sign in. It works once, within an hour.`,
  ],
  buttons: [{ label: 'Sign in', url }],
  footer: ['If you did not ask for it, you can ignore this e-mail.'],
})

const passwordResetMail = (url: string): MailContent => ({
  title: 'Reset your password',
  paragraphs: ['Someone asked to reset your password. The link below lets you choose a new one, once, within an hour.'],
  buttons: [{ label: 'Choose a new password', url }],
  footer: ['If it was not you, you can ignore this e-mail. Your password stays as it is.'],
})

/** Several workspaces are told apart by their slugs, which only the operator of the server can choose. */
const signInMail = (links: readonly { slug: string; url: string }[]): MailContent => ({
  title: 'Your sign-in link',
  paragraphs: [
    links.length === 1
      ? 'Use this link to sign in. It works once, within an hour.'
      : 'You have an account in several workspaces. Use one of these links to sign in. Each works once, within an hour.',
  ],
  buttons: links.map(({ slug, url }) => ({ label: links.length === 1 ? 'Sign in' : `Sign in to ${slug}`, url })),
  footer: ['If you did not ask for it, you can ignore this e-mail.'],
})

const emailChangeMail = (url: string): MailContent => ({
  title: 'Confirm your new e-mail address',
  paragraphs: [
    'You asked to use this address for your account. Your address changes when you confirm it. The link works once, within a day.',
  ],
  buttons: [{ label: 'Confirm e-mail address', url }],
  footer: ['If it was not you, you can ignore this e-mail. Nothing changes.'],
})

const emailChangeNoticeMail = (url: string): MailContent => ({
  title: 'Your e-mail address is being changed',
  paragraphs: [
    'Someone asked to change your e-mail address. It changes once the new address is confirmed.',
    'If it was you, there is nothing else to do. If it was not, change your password now, in each of your workspaces: that also stops this change.',
  ],
  buttons: [{ label: 'Open settings', url }],
  footer: [],
})

export const testMail = (base: string): MailContent => ({
  title: 'Test e-mail from Parley',
  paragraphs: [`This e-mail was sent by \`parley mail test\` for ${base}. If you can read it, Parley can send e-mail.`],
  buttons: [],
  footer: [],
})
