import type { Transporter } from 'nodemailer'

export interface MailSettings {
  url: string
  from: string
  /** Certificates (PEM) to trust instead of the system's. */
  ca?: string
}

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
  /** The same whenever this mail is sent again, so that receivers can drop the second. */
  messageId: string
  /** The mails that this one continues. */
  references?: string[]
  headers?: Record<string, string>
}

export type Outcome =
  | { status: 'sent'; reply: string }
  /** The server will never accept this mail. */
  | { status: 'rejected'; error: string }
  | { status: 'retry'; error: string }

export interface MailTransport {
  send(mail: Mail): Promise<Outcome>
  /** Connects, encrypts and logs in as for a mail, and quits. Returns what went wrong, if anything. */
  verify(deadlineMs: number): Promise<{ error: string; code?: string | undefined } | undefined>
  close(): void
}

const CONNECT_MS = 20_000
/** For the whole mail; a claim holds longer. */
export const SEND_MS = 60_000
const MAX_CONNECTIONS = 3
const MAX_HEADER = 200

/** Sends mails over SMTP. With a password in the URL, TLS is required, unless the URL says `?ignoreTLS=true`. */
export function openTransport({ url, from, ca }: MailSettings): MailTransport {
  let opened: Promise<Transporter> | undefined
  const open = async (more: object) => {
    const { createTransport } = await import('nodemailer')
    const { searchParams, username } = new URL(url)
    return createTransport({
      url,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: CONNECT_MS,
      requireTLS: username !== '' && searchParams.get('ignoreTLS') !== 'true',
      disableFileAccess: true,
      disableUrlAccess: true,
      ...(ca && { tls: { ca } }),
      ...more,
    } as object) as Transporter
  }
  const explain = (text: string) => toHeader(hidePassword(text, url))
  return {
    async send({ to, subject, references, headers, ...mail }) {
      try {
        opened ??= open({ pool: true, maxConnections: MAX_CONNECTIONS })
        const transport = await opened
        const sending = transport.sendMail({
          ...mail,
          from,
          to: { name: '', address: to },
          envelope: { from: addressIn(from), to: [to] },
          subject: toHeader(subject),
          references,
          inReplyTo: references?.at(-1),
          headers: { 'Auto-Submitted': 'auto-generated', ...headers },
        })
        const { response } = await within(SEND_MS, sending)
        return { status: 'sent', reply: explain(String(response)) }
      } catch (error) {
        return { status: classify(error as SmtpError), error: explain((error as SmtpError).message) }
      }
    },
    async verify(deadlineMs) {
      // Without `forceAuth`, a server that offers no login would be used without one, and seem fine.
      let transport: Transporter | undefined
      try {
        transport = await open({ forceAuth: new URL(url).username !== '' })
        await within(deadlineMs, transport.verify())
        return undefined
      } catch (error) {
        return { error: explain((error as SmtpError).message), code: (error as SmtpError).code }
      } finally {
        transport?.close()
      }
    },
    close: () => void opened?.then((transport) => transport.close()),
  }
}

interface SmtpError extends Error {
  code?: string
  responseCode?: number
  command?: string
}

/** A refusal of the receiver or of the text is for good; one of the login or the sender is a mistake in the settings. */
function classify({ responseCode = 0, command }: SmtpError): 'rejected' | 'retry' {
  const isAboutMail = command !== undefined && ['RCPT TO', 'DATA'].includes(command)
  return isAboutMail && responseCode >= 500 ? 'rejected' : 'retry'
}

/** A server may repeat what it was sent, also in the encodings of SMTP. Messages are logged. */
function hidePassword(message: string, url: string): string {
  const { username, password } = loginOf(url)
  if (password === '') return message
  const encoded = [password, `\0${username}\0${password}`].map((text) => Buffer.from(text).toString('base64'))
  return [password, new URL(url).password, ...encoded].reduce((text, secret) => text.replaceAll(secret, '***'), message)
}

/** The user name and the password in the URL of a mail server; empty if there is none. */
export function loginOf(url: string): { username: string; password: string } {
  const { username, password } = new URL(url)
  return { username: decode(username), password: decode(password) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`The mail server took longer than ${ms / 1000} s.`)), ms)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Text that people wrote, as one short line: a line break in a header would begin another one. */
const toHeader = (text: string): string => {
  const line = text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return line.length > MAX_HEADER ? `${line.slice(0, MAX_HEADER - 1).toWellFormed()}…` : line
}

export const addressIn = (from: string): string => /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from
