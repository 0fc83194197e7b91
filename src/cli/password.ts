import { StartError } from '../domain/start-error'
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
    const count = await withMigratedParley(({ accounts }) => accounts.removePasswordOf(email))
    if (count === 0) throw new StartError(`${email} has no password.`)
    console.log(`Removed the password of ${email}.`)
  },
}
