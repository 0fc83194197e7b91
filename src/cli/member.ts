import * as members from '../actions/members'
import { issueSignInLink } from '../actions/sign-in-links'
import { readConfig } from '../config'
import { type Role, roles } from '../contract/members'
import { findNameProblem } from '../domain/names'
import { type Command, UsageError } from './command'
import { changeAsOperator, findActiveMember, withMigratedParley } from './open-parley'

const workspace = { type: 'string', value: 'SLUG', help: 'The workspace, if there are several.' } as const
const ADDRESS =
  'The link starts with PUBLIC_URL; without it, with http://localhost and PORT. Set them as for the server.'
const email = { type: 'string', value: 'EMAIL', help: 'The e-mail address.', required: true } as const

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
