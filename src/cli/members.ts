import * as members from '../actions/members'
import type { Input } from '../contract'
import { type Role, roles } from '../contract/members'
import { PAGE_SIZE } from '../contract/page'
import { timestamp } from '../domain/timestamps'
import { toMember } from '../records/members'
import { operatorOf } from '../setup/operator'
import type { Reader } from '../store/db'
import { StartError } from '../store/engines/start-error'
import { findMemberByEmail, listMembers, type MemberRow, memberRanges } from '../store/members'
import { type Command, type Given, UsageError } from './command'
import { dayOf, json, tableOf } from './table'
import { changeAsOperator, chosenWorkspace, withCurrentParley } from './workshop'

const workspace = { type: 'string', value: 'SLUG', help: 'Which workspace, where there are several.' } as const
const email = { type: 'string', value: 'EMAIL', help: 'The e-mail address.', required: true } as const

export const memberList: Command = {
  name: 'member list',
  summary: 'List the members of a workspace.',
  options: {
    role: { type: 'string', value: 'ROLE', help: `Only those with this role: ${roles.join(', ')}.` },
    json,
    workspace,
  },
  async run({ values, flags }) {
    const wanted = values.role === undefined ? roles : [readRole(values.role)]
    await withCurrentParley(async (parley) => {
      const place = await chosenWorkspace(parley, values.workspace)
      const ranges = memberRanges(operatorOf(place), wanted, 'created_at')
      const rows = await parley.engine.read((db) => listAll(db, ranges))
      const records = () =>
        rows.map((row) => ({ ...toMember(parley.links, row), last_seen_at: timestamp(row.last_seen_at) }))
      console.log(flags.has('json') ? JSON.stringify(records(), null, 2) : memberTable(rows))
    })
  },
}

type ListedMember = Awaited<ReturnType<typeof listMembers>>['rows'][number]

async function listAll(db: Reader, ranges: ReturnType<typeof memberRanges>): Promise<ListedMember[]> {
  const all: ListedMember[] = []
  for (let from: { at: number; id: string; inclusive: boolean } | undefined; ; ) {
    const slice = { sort: 'created_at', scan: 'asc', limit: PAGE_SIZE, from } as const
    const page = (await listMembers(db, ranges, slice)).rows.slice(0, PAGE_SIZE)
    all.push(...page)
    if (page.length < PAGE_SIZE) return all
    const { created_at: at, id } = page.at(-1)!
    from = { at, id, inclusive: false }
  }
}

const memberTable = (rows: readonly ListedMember[]) =>
  tableOf(
    ['E-MAIL', 'NAME', 'ROLE', 'STATUS', 'JOINED', 'LAST SEEN', 'ID'],
    rows.map(({ email: address, name, role, is_deactivated, created_at, last_seen_at, id }) => [
      ...[address, name, role, is_deactivated ? 'deactivated' : 'active', dayOf(created_at), dayOf(last_seen_at), id],
    ]),
  )

export const memberDeactivate: Command = {
  name: 'member deactivate',
  summary: 'Deactivate a member: they can no longer sign in, and their tokens end.',
  details: 'What they wrote stays. The last admin of a workspace cannot be deactivated.',
  options: { email, workspace },
  run: ({ values }) =>
    change(values, { is_deactivated: true }, (member) =>
      member.is_deactivated ? `${member.email} is deactivated already.` : `Deactivated ${member.email}.`,
    ),
}

export const memberReactivate: Command = {
  name: 'member reactivate',
  summary: 'Let a deactivated member sign in again.',
  details: 'Sessions, tokens and links from before stay ended; `parley member link` prints a new link.',
  options: { email, workspace },
  run: ({ values }) =>
    change(values, { is_deactivated: false }, (member) =>
      member.is_deactivated ? `Reactivated ${member.email}.` : `${member.email} is active already.`,
    ),
}

export const memberRole: Command = {
  name: 'member role',
  summary: 'Give a member another role.',
  details: 'The last admin of a workspace stays one.',
  options: {
    email,
    role: { type: 'string', value: 'ROLE', help: `One of ${roles.join(', ')}.`, required: true },
    workspace,
  },
  run({ values }) {
    const role = readRole(values.role!)
    return change(values, { role }, (member) =>
      member.role === role ? `${member.email} is ${role} already.` : `${member.email}: ${member.role} → ${role}.`,
    )
  },
}

/** Changes a member as the API would, and says so; `say` gets the member as they were. */
async function change(
  { email: address, workspace: slug }: Given['values'],
  changes: Omit<Input<'members.update'>, 'id'>,
  say: (member: MemberRow) => string,
) {
  const before = await withCurrentParley((parley) =>
    changeAsOperator(parley, slug, async (context) => {
      const { db, viewer } = context
      const member = await findMemberByEmail(db, viewer.workspace.key, address!.trim().toLowerCase())
      if (!member)
        throw new StartError(
          `${address} is not a member of ${viewer.workspace.slug}. \`parley member list\` shows all.`,
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
