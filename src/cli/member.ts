import * as members from '../actions/members'
import { issueSignInLink } from '../actions/sign-in-links'
import { type Role, roles } from '../contract/members'
import { wrongWithName } from '../domain/names'
import { type Command, UsageError } from './command'
import { activeMember, changeAsOperator, withCurrentParley } from './workshop'

const workspace = { type: 'string', value: 'SLUG', help: 'Which workspace, where there are several.' } as const
const email = { type: 'string', value: 'EMAIL', help: 'The e-mail address.', required: true } as const

export const memberAdd: Command = {
  name: 'member add',
  summary: 'Add a member, and print a link that signs them in once.',
  options: {
    email,
    name: { type: 'string', value: 'NAME', help: 'The name others see.', required: true },
    role: { type: 'string', value: 'ROLE', help: `One of ${roles.join(', ')}. Default: member.` },
    workspace,
  },
  async run({ values }) {
    const role = (values.role ?? 'member') as Role
    if (!roles.includes(role)) throw new UsageError(`--role must be one of ${roles.join(', ')}.`)
    if (!/^[^@\s]+@[^@\s]+$/.test(values.email!)) throw new UsageError(`“${values.email}” is not an e-mail address.`)
    if (!values.name!.trim() || values.name!.length > 100) throw new UsageError('--name takes 1 to 100 characters.')
    const wrong = wrongWithName(values.name!)
    if (wrong) throw new UsageError(`--name: ${wrong}`)
    const link = await withCurrentParley((parley) =>
      changeAsOperator(parley, values.workspace, async (context) => {
        const member = await members.create(context, { email: values.email!, display_name: values.name!, role })
        return (await issueSignInLink(context, member)).url
      }),
    )
    console.log(link)
  },
}

export const memberLink: Command = {
  name: 'member link',
  summary: 'Print a new link that signs a member in, once, within a week.',
  details: 'The link that was made before it no longer works.',
  options: { email, workspace },
  async run({ values }) {
    const link = await withCurrentParley((parley) =>
      changeAsOperator(parley, values.workspace, async (context) =>
        issueSignInLink(context, await activeMember(context, values.email!)),
      ),
    )
    console.log(link.url)
  },
}
