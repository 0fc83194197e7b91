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
  | { status: 'sent' }
  /** The server will never accept this mail. */
  | { status: 'rejected'; error: string }
  | { status: 'retry'; error: string }

export interface MailTransport {
  send(mail: Mail): Promise<Outcome>
  close(): void
}

const CONNECT_MS = 20_000
/** For the whole mail; a claim holds longer. */
export const SEND_MS = 60_000
const MAX_CONNECTIONS = 3
const MAX_HEADER = 200

/** Sends mails over SMTP. Whoever sends a password over it has it encrypted, unless the URL says `?ignoreTLS=true`. */
export function openTransport({ url, from, ca }: MailSettings): MailTransport {
  let opened: Promise<Transporter> | undefined
  const open = async () => {
    const { createTransport } = await import('nodemailer')
    const { searchParams, username } = new URL(url)
    return createTransport({
      url,
      pool: true,
      maxConnections: MAX_CONNECTIONS,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: CONNECT_MS,
      requireTLS: username !== '' && searchParams.get('ignoreTLS') !== 'true',
      disableFileAccess: true,
      disableUrlAccess: true,
      ...(ca && { tls: { ca } }),
    } as object)
  }
  return {
    async send({ to, subject, references, headers, ...mail }) {
      try {
        opened ??= open()
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
        await within(SEND_MS, sending)
        return { status: 'sent' }
      } catch (error) {
        return classify(error as SmtpError)
      }
    },
    close: () => void opened?.then((transport) => transport.close()),
  }
}

interface SmtpError extends Error {
  responseCode?: number
  command?: string
}

/** A refusal of the receiver or of the text is for good; one of the login or the sender is a mistake in the settings. */
function classify({ responseCode = 0, command, message }: SmtpError): Outcome {
  const isAboutMail = command !== undefined && ['RCPT TO', 'DATA'].includes(command)
  const status = isAboutMail && responseCode >= 500 ? 'rejected' : 'retry'
  return { status, error: toHeader(message) }
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
