import { describe, expect, test } from 'bun:test'
import { openTransport } from '../../src/jobs/mail/transport'
import { newMigratedDatabase, startTestServer, time } from '../server'
import { hasOpenssl, selfSigned } from '../webhooks/receivers'
import { openMailbox, refusal } from './smtp'
import { mailWorld, tokenIn } from './world'

const MINUTE = 60_000
const mail = { to: 'ada@example.com', subject: 'Hi', text: 'Hi', html: '<p>Hi</p>', messageId: '<1@example.com>' }
const from = 'Parley <parley@example.com>'

describe('over TLS', () => {
  test.skipIf(!hasOpenssl)(
    'STARTTLS and smtps log in; nothing is sent to a server with another certificate',
    async () => {
      const pair = await selfSigned('DNS:localhost,IP:127.0.0.1')
      for (const secure of [false, true]) {
        const mailbox = await openMailbox({
          ...pair,
          secure,
          authOptional: false,
          onAuth: ({ username, password }, _, done) =>
            username === 'parley' && password === 'p@ss word'
              ? done(null, { user: 'parley' })
              : done(refusal(535, 'No')),
        })
        const url = (password: string) =>
          `${secure ? 'smtps' : 'smtp'}://parley:${encodeURIComponent(password)}@127.0.0.1:${mailbox.port}`
        const send = async (settings: { url: string; ca?: string }) => {
          const transport = openTransport({ from, ...settings })
          const outcome = await transport.send(mail)
          transport.close()
          return outcome
        }
        expect(await send({ url: url('p@ss word'), ca: pair.cert })).toMatchObject({ status: 'sent' })
        expect(mailbox.mails).toHaveLength(1)
        // A mistake in the settings can be repaired, so it is tried again.
        expect(await send({ url: url('wrong'), ca: pair.cert })).toMatchObject({ status: 'retry' })
        expect(await send({ url: url('p@ss word') })).toMatchObject({ status: 'retry' })
        expect(mailbox.mails).toHaveLength(1)
        await mailbox.close()
      }
    },
  )

  test('a password is never sent unencrypted', async () => {
    let attempts = 0
    const mailbox = await openMailbox({
      allowInsecureAuth: true,
      onAuth(_, __, done) {
        attempts += 1
        done(null, { user: 'parley' })
      },
    })
    const transport = openTransport({ url: `smtp://parley:secret@127.0.0.1:${mailbox.port}`, from })
    expect(await transport.send(mail)).toMatchObject({ status: 'retry' })
    expect([attempts, mailbox.mails]).toEqual([0, []])
    transport.close()
    await mailbox.close()
  })
})

describe('refusals', () => {
  test('greylisting is retried with the same id, across a restart; a refusal for good is not', async () => {
    const seen: string[] = []
    const mailbox = await openMailbox({
      onRcptTo({ address }, _, done) {
        const isFirst = !seen.includes(address)
        seen.push(address)
        if (address.startsWith('gone@')) return done(refusal(550, 'No such user'))
        return isFirst && address.startsWith('grey@') ? done(refusal(451, 'Try again later')) : done()
      },
    })
    const database = await newMigratedDatabase()
    const cast = await mailWorld(mailbox, { DATABASE_URL: database.url })
    for (const name of ['grey', 'gone'])
      await cast.root.members.create({ email: `${name}@example.com`, display_name: name, role: 'member' })
    await cast.deliver()
    expect(mailbox.mails).toEqual([])
    await cast[Symbol.asyncDispose]()

    time.advance(2 * MINUTE)
    const again = await startTestServer({
      DATABASE_URL: database.url,
      SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
      MAIL_FROM: from,
    })
    await again.notifications()!.tick()
    await again.notifications()!.settled()
    expect(mailbox.mails.flatMap(({ to }) => to)).toEqual(['grey@example.com'])
    const rows = await again.parley.engine.read((db) =>
      db.selectFrom('mails').where('last_error', 'is not', null).select(['status', 'last_error', 'due_at']).execute(),
    )
    expect(rows).toEqual([{ status: 'failed', last_error: expect.stringContaining('No such user'), due_at: null }])
    expect(seen.filter((address) => address.startsWith('gone@'))).toHaveLength(1)
    const stored = await again.parley.engine.read(async (db) =>
      JSON.stringify(await db.selectFrom('mails').selectAll().execute()),
    )
    expect(stored).not.toContain(tokenIn(mailbox.mails[0]!.text))
    await again.stop()
    await mailbox.close()
  })

  test('two nodes never send the same mail', async () => {
    const mailbox = await openMailbox()
    const database = await newMigratedDatabase()
    const env = { DATABASE_URL: database.url }
    const cast = await mailWorld(mailbox, env)
    const smtp = { SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`, MAIL_FROM: from }
    const other = await startTestServer({ ...env, ...smtp })
    for (let at = 0; at < 12; at++)
      await cast.root.members.create({ email: `m${at}@example.com`, display_name: `M ${at}`, role: 'member' })
    await Promise.all([cast.deliver(), other.notifications()!.tick()])
    await other.notifications()!.settled()
    await cast.deliver()
    const addresses = mailbox.mails.flatMap(({ to }) => to)
    expect(addresses.sort()).toEqual(Array.from({ length: 12 }, (_, at) => `m${at}@example.com`).sort())
    await Promise.all([other.stop(), cast[Symbol.asyncDispose]()])
    await mailbox.close()
  })
})
