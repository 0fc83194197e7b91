import { EMAIL_CHANGE_MS } from '../../actions/me/email'
import { hashSecret, newSecret } from '../../domain/secrets'
import type { Parley } from '../../gate/parley'
import { type AccountLinkKind, insertAccountLink } from '../../store/account-links'
import type { Writer } from '../../store/db'
import { findEmailChange } from '../../store/email-changes'
import { findMembersWithEmail, findRecipient, type MailKind, type MailRow } from '../../store/mails'
import {
  emailChangeLetter,
  emailChangeNoticeLetter,
  invitationLetter,
  passwordResetLetter,
  signInLetter,
} from './letters'
import type { Letter } from './template'

const HOUR_MS = 60 * 60 * 1000
const WEEK_MS = 7 * 24 * HOUR_MS

interface Composed {
  to: string
  letter: Letter
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
    return { to: member.email, letter: invitationLetter({ workspace: member.workspace_name, url }) }
  },
  async password_reset(context) {
    const members = await findMembersWithEmail(context.db, context.mail.address)
    if (members.length === 0 || isLate(context)) return undefined
    const url = `${context.base}/reset-password#token=${await newLink(context, 'password_reset', members, HOUR_MS)}`
    return { to: context.mail.address, letter: passwordResetLetter(url) }
  },
  async sign_in_link(context) {
    const members = await findMembersWithEmail(context.db, context.mail.address)
    if (members.length === 0 || isLate(context)) return undefined
    const links = []
    for (const member of members) links.push({ slug: member.slug, url: await signInUrl(context, member, HOUR_MS) })
    return { to: context.mail.address, letter: signInLetter(links) }
  },
  async email_change(context) {
    const member = await findActive(context)
    const change = await findEmailChange(context.db, context.mail.author_key, context.now)
    // Another change may have been asked for since.
    if (!member || change?.mail_key !== context.mail.key) return undefined
    const url = `${context.base}/confirm-email#token=${await newLink(context, 'email_change', [member], EMAIL_CHANGE_MS)}`
    return { to: change.email, letter: emailChangeLetter(url) }
  },
  async email_change_notice(context) {
    const member = await findActive(context)
    if (!member) return undefined
    return { to: context.mail.address, letter: emailChangeNoticeLetter(`${context.base}/settings/security`) }
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
