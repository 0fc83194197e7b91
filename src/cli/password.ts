import { endSignInLink } from '../actions/sign-in-links'
import { toAuthor } from '../domain/links'
import { operatorOf } from '../domain/permissions'
import { StartError } from '../domain/start-error'
import type { Parley } from '../gate/parley'
import { closeWorkspace, findPasswordByEmail, lockPassword } from '../store/accounts/passwords'
import { changeWorkspace } from '../store/changes/change'
import type { Writer } from '../store/engines/db'
import { findMemberViewer } from '../store/people/members'
import { lockWorkspaces } from '../store/people/workspaces'
import type { Command } from './command'
import { withMigratedParley } from './database'

export const passwordRemove: Command = {
  name: 'password remove',
  summary: "Remove a person's password, in every workspace.",
  details:
    'For people who forgot their password, or whose password someone else knows. They can sign in with a link and set a new one.',
  options: { email: { type: 'string', value: 'EMAIL', help: 'The e-mail address.', required: true } },
  async run({ values }) {
    const email = values.email!.trim().toLowerCase()
    const count = await withMigratedParley((parley) => parley.engine.write((db) => removePassword(parley, db, email)))
    if (count === 0) throw new StartError(`${email} has no password.`)
    console.log(`Removed the password of ${email}.`)
  },
}

/** Returns the number of workspaces in which the password was used. */
async function removePassword(parley: Parley, db: Writer, email: string): Promise<number> {
  const known = (await findPasswordByEmail(db, email)).members
  if (known.length === 0) return 0
  await lockWorkspaces(
    db,
    known.map(({ workspace_key }) => workspace_key),
  )
  const { userKey, members } = await lockPassword(db, known[0]!.author_key)
  for (const { author_key, workspace_key } of members) {
    const { author, workspace } = (await findMemberViewer(db, author_key))!
    await changeWorkspace(parley, db, operatorOf(workspace), async (context) => {
      await closeWorkspace(db, userKey, workspace_key)
      context.announce('password.removed', { member: toAuthor(context.links, author.card) })
      await endSignInLink(context, author_key)
    })
  }
  return members.length
}
