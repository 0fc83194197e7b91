import { randomUUID } from 'node:crypto'
import { type Config, readConfig } from '../config'
import { localUrl } from '../config/addresses'
import { isMailAddress } from '../config/values'
import { StartError } from '../domain/start-error'
import { renderMail, testMail } from '../jobs/mail/compose'
import { loginOf, openTransport } from '../jobs/mail/transport'
import { type Finding, fail, pass } from '../store/engines/damage'
import { type Command, UsageError } from './command'

const VERIFY_MS = 10_000

export const mailTest: Command = {
  name: 'mail test',
  summary: 'Send a test e-mail, and show how the mail server responds.',
  details: `Sends one e-mail to the address, in the way the server sends its e-mail: through SMTP_URL, from MAIL_FROM. Needs no database. The exit
code is 0 if the mail server accepted the e-mail; whether it arrives is up to that server. To check the connection and the login
without sending anything, use \`parley doctor\`.`,
  positional: '<address>',
  options: {},
  async run({ positionals }) {
    const { mail, publicUrl, host, port } = readConfig(process.env)
    const to = positionals[0]!
    if (!isMailAddress(to) || /[<>\s]/.test(to)) throw new UsageError(`“${to}” is not an e-mail address.`)
    if (!mail) throw new StartError('SMTP_URL is not set, so Parley sends no e-mail.')
    const base = publicUrl ?? localUrl(host, port)
    const content = testMail(base)
    const transport = openTransport(mail)
    const outcome = await transport.send({
      to,
      subject: content.title,
      ...renderMail(content),
      messageId: `<test-${randomUUID()}@${new URL(base).hostname}>`,
    })
    transport.close()
    if (outcome.status !== 'sent')
      throw new StartError(`${serverOf(mail)} did not accept the e-mail to ${to}: ${outcome.error}`)
    console.log(`${serverOf(mail)} accepted the e-mail to ${to}: ${outcome.reply}`)
  },
}

/** Whether e-mail could be sent. Nothing is sent. */
export async function checkMail({ mail }: Config): Promise<Finding> {
  if (!mail) return pass('e-mail', 'SMTP_URL is not set, so Parley sends none')
  const fault = await openTransport(mail).verify(VERIFY_MS)
  if (fault) return fail('e-mail', `${serverOf(mail)}: ${fault.error}`, adviceFor(fault))
  const { protocol, searchParams } = new URL(mail.url)
  const { username, password } = loginOf(mail.url)
  const isEncrypted = protocol === 'smtps:' || (username !== '' && searchParams.get('ignoreTLS') !== 'true')
  // With some providers both are the same token.
  const shownName = username === password ? '***' : username
  const login = username ? `, and the login as ${shownName}` : ', without a login'
  return pass('e-mail', `${serverOf(mail)} accepts connections${isEncrypted ? ' over TLS' : ''}${login}`)
}

function adviceFor({ error, code = '' }: { error: string; code?: string | undefined }): string {
  if (['EAUTH', 'ENOAUTH'].includes(code)) return 'Check the user name and the password in SMTP_URL.'
  if (/certificate|TLS|SSL/i.test(`${code} ${error}`))
    return 'Check the port in SMTP_URL and the certificate of the mail server: smtps:// is for port 465, smtp:// for 587. NODE_EXTRA_CA_CERTS can name the certificate of an authority of your own.'
  return 'Check the host and the port in SMTP_URL, and that this machine may connect to it.'
}

const DEFAULT_PORTS: Record<string, string> = { 'smtp:': '587', 'smtps:': '465' }

/** The mail server without the login. */
function serverOf({ url }: { url: string }): string {
  const { protocol, hostname, port } = new URL(url)
  return `${hostname}:${port || DEFAULT_PORTS[protocol]}`
}
