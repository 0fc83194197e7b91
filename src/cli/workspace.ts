import { findNameProblem } from '../domain/names'
import { operatorOf } from '../domain/permissions'
import { StartError } from '../domain/start-error'
import { timestamp } from '../domain/timestamps'
import { changeWorkspace } from '../store/changes/change'
import { findWorkspace, insertWorkspace, listWorkspaces } from '../store/people/workspaces'
import { type Command, UsageError } from './command'
import { withMigratedParley } from './database'
import { formatDay, formatTable, json } from './output'

export const workspaceCreate: Command = {
  name: 'workspace create',
  summary: 'Create a workspace.',
  details: 'Add its first admin with `parley member add --role admin --workspace SLUG`.',
  options: {
    name: { type: 'string', value: 'NAME', help: 'Its display name.', required: true },
    slug: {
      type: 'string',
      value: 'SLUG',
      help: 'Its short name for commands: lowercase letters, digits and dashes.',
      required: true,
    },
  },
  async run({ values }) {
    const name = values.name!.trim()
    const slug = values.slug!
    if (!/^[a-z0-9][a-z0-9-]{0,49}$/.test(slug))
      throw new UsageError('--slug must have 1 to 50 lowercase letters, digits and dashes.')
    if (!name || name.length > 100) throw new UsageError('--name must have 1 to 100 characters.')
    const wrong = findNameProblem(name)
    if (wrong) throw new UsageError(`--name: ${wrong}`)
    await withMigratedParley((parley) =>
      parley.engine.write(async (db) => {
        if (await findWorkspace(db, slug)) throw new StartError(`The workspace “${slug}” already exists.`)
        const now = parley.clock()
        const workspace = await insertWorkspace(db, { id: parley.newId('ws', now), slug, name, created_at: now })
        await changeWorkspace(parley, db, operatorOf(workspace), async ({ announce }) =>
          announce('workspace.created', { id: workspace.id, name }),
        )
      }),
    )
    console.log(slug)
  },
}

export const workspaceList: Command = {
  name: 'workspace list',
  summary: 'List the workspaces.',
  options: { json },
  async run({ flags }) {
    const workspaces = await withMigratedParley((parley) => parley.engine.read((db) => listWorkspaces(db)))
    if (flags.has('json')) return console.log(JSON.stringify(workspaces.map(toListed), null, 2))
    const rows = workspaces.map((row) => [
      row.slug,
      row.name,
      String(countMembers(row)),
      formatDay(row.created_at),
      row.id,
    ])
    console.log(formatTable(['SLUG', 'NAME', 'MEMBERS', 'CREATED', 'ID'], rows))
  },
}

type Row = Awaited<ReturnType<typeof listWorkspaces>>[number]

const countMembers = (row: Row) => row.admins_count + row.members_count + row.viewers_count + row.guests_count

const toListed = (row: Row) => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  members_count: countMembers(row),
  created_at: timestamp(row.created_at),
})
