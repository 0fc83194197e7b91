import { issueSignInLink } from '../accounts/links'
import * as members from '../actions/members'
import { readConfig } from '../config'
import type { Input } from '../contract'
import { PAGE_SIZE } from '../contract/browser/constants'
import { type Role, roles } from '../contract/members'
import { findNameProblem } from '../domain/names'
import { operatorOf } from '../domain/permissions'
import { StartError } from '../domain/start-error'
import { timestamp } from '../domain/timestamps'
import type { Reader } from '../store/engines/db'
import { findMemberByEmail, listMembers, type MemberRow, memberRanges, toMember } from '../store/people/members'
import { type Command, type Given, UsageError } from './command'
import { changeAsOperator, findActiveMember, findChosenWorkspace, withMigratedParley } from './database'
import { formatDay, formatTable, json } from './output'

const workspace = { type: 'string', value: 'SLUG', help: 'The workspace, if there are several.' } as const
const email = { type: 'string', value: 'EMAIL', help: 'The e-mail address.', required: true } as const

export const memberList: Command = {
  name: 'member list',
  summary: 'List the members of a workspace.',
  options: {
    role: { type: 'string', value: 'ROLE', help: `Only members with this role: ${roles.join(', ')}.` },
    json,
    workspace,
  },
  async run({ values, flags }) {
    const wanted = values.role === undefined ? roles : [readRole(values.role)]
    await withMigratedParley(async (parley) => {
      const chosen = await findChosenWorkspace(parley, values.workspace)
      const ranges = memberRanges(operatorOf(chosen), wanted, 'created_at')
      const rows = await parley.engine.read((db) => listAll(db, ranges))
      const records = () =>
        rows.map((row) => ({ ...toMember(parley.links, row), last_seen_at: timestamp(row.last_seen_at) }))
      console.log(flags.has('json') ? JSON.stringify(records(), null, 2) : memberTable(rows))
    })
  },
}

type ListedMember = Awaited<ReturnType<typeof listMembers>>['found']['rows'][number]

async function listAll(db: Reader, ranges: ReturnType<typeof memberRanges>): Promise<ListedMember[]> {
  const all: ListedMember[] = []
  for (let from: { at: number; id: string; inclusive: boolean } | undefined; ; ) {
    const slice = { sort: 'created_at', scan: 'asc', limit: PAGE_SIZE, from } as const
    const page = (await listMembers(db, ranges, slice)).found.rows.slice(0, PAGE_SIZE)
    all.push(...page)
    if (page.length < PAGE_SIZE) return all
    const { created_at: at, id } = page.at(-1)!
    from = { at, id, inclusive: false }
  }
}

const memberTable = (rows: readonly ListedMember[]) =>
  formatTable(
    ['E-MAIL', 'NAME', 'ROLE', 'STATUS', 'JOINED', 'LAST SEEN', 'ID'],
    rows.map(({ email: address, name, role, is_deactivated, created_at, last_seen_at, id }) => [
      ...[
        address,
        name,
        role,
        is_deactivated ? 'deactivated' : 'active',
        formatDay(created_at),
        formatDay(last_seen_at),
        id,
      ],
    ]),
  )

export const memberDeactivate: Command = {
  name: 'member deactivate',
  summary: 'Deactivate a member: they can no longer sign in, and their tokens stop working.',
  details: 'Their posts, comments and messages stay. The last admin of a workspace cannot be deactivated.',
  options: { email, workspace },
  run: ({ values }) =>
    change(values, { is_deactivated: true }, (member) =>
      member.is_deactivated ? `${member.email} is already deactivated.` : `Deactivated ${member.email}.`,
    ),
}

export const memberReactivate: Command = {
  name: 'member reactivate',
  summary: 'Let a deactivated member sign in again.',
  details: 'Their old sessions, tokens and links stay invalid; `parley member link` prints a new sign-in link.',
  options: { email, workspace },
  run: ({ values }) =>
    change(values, { is_deactivated: false }, (member) =>
      member.is_deactivated ? `Reactivated ${member.email}.` : `${member.email} is already active.`,
    ),
}

export const memberRole: Command = {
  name: 'member role',
  summary: 'Change the role of a member.',
  details: 'The last admin of a workspace cannot get another role.',
  options: {
    email,
    role: { type: 'string', value: 'ROLE', help: `One of ${roles.join(', ')}.`, required: true },
    workspace,
  },
  run({ values }) {
    const role = readRole(values.role!)
    return change(values, { role }, (member) =>
      member.role === role
        ? `${member.email} already has the role ${role}.`
        : `${member.email}: ${member.role} → ${role}.`,
    )
  },
}

/** Changes a member like the API, and prints a message; `say` gets the member before the change. */
async function change(
  { email: address, workspace: slug }: Given['values'],
  changes: Omit<Input<'members.update'>, 'id'>,
  say: (member: MemberRow) => string,
) {
  const before = await withMigratedParley((parley) =>
    changeAsOperator(parley, slug, async (context) => {
      const { db, viewer } = context
      const member = await findMemberByEmail(db, viewer.workspace.key, address!.trim().toLowerCase())
      if (!member)
        throw new StartError(
          `${address} is not a member of ${viewer.workspace.slug}. \`parley member list\` lists all members.`,
        )
      await members.update(context, { id: member.id, ...changes })
      return member
    }),
  )
  console.log(say(before))
}

function readRole(text: string): Role {
  const role = roles.find((each) => each === text)
  if (!role) throw new UsageError(`--role must be one of ${roles.join(', ')}, not “${text}”.`)
  return role
}

const ADDRESS =
  'The link starts with PUBLIC_URL; without it, with http://localhost and PORT. Set them as for the server.'

export const memberAdd: Command = {
  name: 'member add',
  summary: 'Add a member, and print a sign-in link for them.',
  details: ADDRESS,
  options: {
    email,
    name: { type: 'string', value: 'NAME', help: 'Their display name.', required: true },
    role: { type: 'string', value: 'ROLE', help: `One of ${roles.join(', ')}. Default: member.` },
    workspace,
  },
  async run({ values }) {
    const role = (values.role ?? 'member') as Role
    if (!roles.includes(role)) throw new UsageError(`--role must be one of ${roles.join(', ')}.`)
    if (!/^[^@\s]+@[^@\s]+$/.test(values.email!)) throw new UsageError(`“${values.email}” is not an e-mail address.`)
    if (!values.name!.trim() || values.name!.length > 100) throw new UsageError('--name must have 1 to 100 characters.')
    const wrong = findNameProblem(values.name!)
    if (wrong) throw new UsageError(`--name: ${wrong}`)
    const link = await withMigratedParley((parley) =>
      changeAsOperator(parley, values.workspace, async (context) => {
        const member = await members.create(context, { email: values.email!, display_name: values.name!, role })
        return (await issueSignInLink(context, member)).url
      }),
    )
    printLink(link)
  },
}

export const memberLink: Command = {
  name: 'member link',
  summary: 'Print a new sign-in link for a member. It works once, within a week.',
  details: `Earlier sign-in links of the member stop working. ${ADDRESS}`,
  options: { email, workspace },
  async run({ values }) {
    const link = await withMigratedParley((parley) =>
      changeAsOperator(parley, values.workspace, async (context) =>
        issueSignInLink(context, await findActiveMember(context, values.email!)),
      ),
    )
    printLink(link.url)
  },
}

/** The settings of the server may be set for its service alone. */
function printLink(url: string) {
  console.log(url)
  if (readConfig(process.env).publicUrl) return
  console.error(
    `The link starts with ${new URL(url).origin}, because PUBLIC_URL is not set. Set it, or PORT, as for the server.`,
  )
}

export const passwordRemove: Command = {
  name: 'password remove',
  summary: "Remove a person's password, in every workspace.",
  details:
    'For people who forgot their password, or whose password someone else knows. They can sign in with a link and set a new one.',
  options: { email: { type: 'string', value: 'EMAIL', help: 'The e-mail address.', required: true } },
  async run({ values }) {
    const email = values.email!.trim().toLowerCase()
    const count = await withMigratedParley(({ accounts }) => accounts.removePasswordOf(email))
    if (count === 0) throw new StartError(`${email} has no password.`)
    console.log(`Removed the password of ${email}.`)
  },
}
