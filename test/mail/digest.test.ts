import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { time } from '../server'
import { world } from '../world'
import { mailWorld } from './world'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let mailing: Awaited<ReturnType<typeof mailWorld>>
beforeAll(async () => {
  mailing = await mailWorld()
})
afterAll(() => mailing[Symbol.asyncDispose]())

/** A new workspace on the same server. Everyone has the address of their id. */
async function newWorld() {
  const cast = await world(mailing.server)
  await mailing.deliver()
  mailing.mailbox.mails.length = 0
  const fill = async () => {
    await cast.server.inboxFiller()!.tick()
  }
  /** What arrives in so long. */
  const mailsAfter = async (milliseconds: number) => {
    await fill()
    mailing.mailbox.mails.length = 0
    time.advance(milliseconds)
    await mailing.deliver()
    return mailing.mailbox.mails.filter(({ headers }) => headers.has('list-unsubscribe'))
  }
  const post = (text = 'Lunch?') => cast.bob.posts.create({ channel_id: cast.general.id, content_markdown: text })
  const mention = async (text = 'what about') =>
    cast.bob.comments.create({ post_id: (await post()).id, content_markdown: `<@${cast.ada.id}> ${text}` })
  return { ...cast, post, mention, mailsAfter }
}

describe('mails about what is unread', () => {
  test('a mention is mailed after five minutes, once, with a link to the comment', async () => {
    const { mention, mailsAfter, slug, ada } = await newWorld()
    const comment = await mention('noon?')
    expect(await mailsAfter(4 * MINUTE)).toEqual([])
    const [mail, ...others] = await mailsAfter(2 * MINUTE)
    expect(others).toEqual([])
    expect(mail!.to).toEqual(['ada@example.com'])
    expect(mail!.headers.get('subject')).toBe('Bob Moore mentioned you · Lunch?')
    expect(mail!.text).toContain(`> @Ada Lovelace noon?`)
    expect(mail!.text).toContain(`#${comment.id}`)
    expect(mail!.html).toContain(`#${comment.id}`)
    expect(mail!.text).toContain(slug)
    expect(mail!.headers.get('references')).toContain(`${comment.subject_id}.${ada.id}@`)
    expect(await mailsAfter(25 * HOUR)).toEqual([])
  })

  test('a mention of a group or of a whole channel is mailed as soon, and says which it was', async () => {
    const { root, ada, bob, general, mailsAfter } = await newWorld()
    const { id } = await root.groups.create({ name: 'design' })
    await root.groups.addMember({ group_id: id, member_id: ada.id })
    await root.channels.addMember({ channel_id: general.id, member_id: ada.id })
    for (const [mentioned, words] of [
      [id, '@design'],
      ['channel', '@channel'],
    ] as const) {
      await bob.posts.create({ channel_id: general.id, title: 'Logo', content_markdown: `<@${mentioned}> Which one?` })
      const mails = (await mailsAfter(6 * MINUTE)).filter(({ to }) => to.includes('ada@example.com'))
      expect(mails.map(({ headers }) => headers.get('subject'))).toEqual([`Bob Moore mentioned ${words} · Logo`])
      expect(mails[0]!.text).toContain(`> ${words} Which one?`)
    }
  })

  test('an incoming webhook with the name of a person is told from them', async () => {
    const { root, ada, general, mailsAfter } = await newWorld()
    const { url } = await root.hooks.create({ name: 'Bob Moore', channel_id: general.id })
    await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ title: 'Lunch?', content_markdown: `<@${ada.id}> pay` }),
    })
    const [mail] = await mailsAfter(6 * MINUTE)
    expect(mail!.headers.get('subject')).toBe('Bob Moore (app) mentioned you · Lunch?')
  })

  test('what was read meanwhile is not mailed; the rest is bundled', async () => {
    const { ada, bob, post, mailsAfter, root } = await newWorld()
    await ada.me.updateNotificationSettings({ mentions_and_messages_sooner: false })
    const first = await bob.messages.createDirect({ member_id: ada.id, content_markdown: 'Read me' })
    await root.messages.createDirect({ member_id: ada.id, content_markdown: 'Hello from Root' })
    const { id: post_id } = await post()
    await bob.comments.create({ post_id, content_markdown: `<@${ada.id}> see this` })
    await mailsAfter(0)
    await ada.reads.set({ subject_id: first.thread_id })
    const [mail, ...others] = await mailsAfter(61 * MINUTE)
    expect(others).toEqual([])
    expect(mail!.headers.get('subject')).toEndWith(': 2 unread')
    expect(mail!.text).toContain('Hello from Root')
    expect(mail!.text).not.toContain('Read me')
    expect(mail!.headers.has('references')).toBe(false)
  })

  test('nothing is told of what the member may no longer see when the mail is sent', async () => {
    const { root, ada, bob, mailsAfter } = await newWorld()
    const channel = await root.channels.create({ name: 'secret', private: true })
    for (const { id } of [ada, bob]) await root.channels.addMember({ channel_id: channel.id, member_id: id })
    await mailsAfter(25 * HOUR)
    const { id } = await bob.posts.create({ channel_id: channel.id, content_markdown: `<@${ada.id}> a secret` })
    const gone = await bob.messages.createDirect({ member_id: ada.id, content_markdown: 'deleted later' })
    await mailsAfter(0)
    await root.channels.removeMember({ channel_id: channel.id, member_id: ada.id })
    await bob.messages.delete({ id: gone.id })
    const mails = await mailsAfter(2 * HOUR)
    expect(mails.map(({ raw }) => raw).join()).not.toMatch(/secret|deleted later/)
    expect(id).toStartWith('post_')
  })

  test('a deactivated member gets none', async () => {
    const { root, ada, mention, mailsAfter } = await newWorld()
    await mention()
    await mailsAfter(0)
    await root.members.update({ id: ada.id, is_deactivated: true })
    expect(await mailsAfter(2 * HOUR)).toEqual([])
  })

  test('a daily mail comes at the chosen hour in the time zone', async () => {
    const { ada, mention, mailsAfter, server } = await newWorld()
    const settings = {
      mail: 'daily',
      mail_hour: 9,
      time_zone: 'Asia/Tokyo',
      mentions_and_messages_sooner: false,
    } as const
    await ada.me.updateNotificationSettings(settings)
    await mention()
    await mailsAfter(0)
    const due = await server.parley.engine.read((db) =>
      db.selectFrom('notification_state').select('mail_due_at').orderBy('author_key', 'desc').executeTakeFirst(),
    )
    expect(new Date(due!.mail_due_at!).toISOString()).toMatch(/T00:00:00.000Z$/)
    // Time goes on meanwhile.
    expect(await mailsAfter(due!.mail_due_at! - time.now() - 5 * MINUTE)).toEqual([])
    expect(await mailsAfter(5 * MINUTE)).toHaveLength(1)
  })

  test('a pause holds it back, and never means never', async () => {
    const { ada, mention, mailsAfter } = await newWorld()
    await mention()
    await mailsAfter(0)
    const paused_until = new Date(time.now() + 3 * HOUR).toISOString()
    await ada.me.updateNotificationSettings({ paused_until })
    expect(await mailsAfter(2 * HOUR)).toEqual([])
    expect(await mailsAfter(61 * MINUTE)).toHaveLength(1)
    await ada.me.updateNotificationSettings({ mail: 'never' })
    await mention()
    expect(await mailsAfter(26 * HOUR)).toEqual([])
    await ada.me.updateNotificationSettings({ mail: 'hourly' })
    expect(await mailsAfter(26 * HOUR)).toEqual([])
  })

  test('who turns mails on for the first time is not mailed what was unread before', async () => {
    const { ada, mention, mailsAfter } = await newWorld()
    await ada.me.updateNotificationSettings({ mail: 'never' })
    await mention('old news')
    await mailsAfter(HOUR)
    await ada.me.updateNotificationSettings({ mail: 'hourly' })
    await mention('breaking news')
    const [mail] = await mailsAfter(6 * MINUTE)
    expect(mail!.text).toContain('breaking news')
    expect(mail!.text).not.toContain('old news')
  })

  test('names, titles and texts are only text, in headers and in HTML', async () => {
    const { ada, bob, general, mailsAfter } = await newWorld()
    await bob.me.update({ display_name: '<b>B</b> "ob" \u0627\u0644' })
    const title = 'Hi\u2028Bcc: eve@example.com </title><script>alert(1)</script> \u202eRTL'
    const { id: post_id } = await bob.posts.create({ channel_id: general.id, title, content_markdown: 'x' }).catch(() =>
      bob.posts.create({
        channel_id: general.id,
        title: title.replace(/[\u2028\u202e]/g, ' '),
        content_markdown: 'x',
      }),
    )
    const long = `<@${ada.id}> <img src=x onerror=alert(1)> & ${'long '.repeat(19_000)}`
    await bob.comments.create({ post_id, content_markdown: long })
    const [mail] = await mailsAfter(6 * MINUTE)
    expect([...mail!.headers.keys()]).not.toContain('bcc')
    expect(mail!.to).toEqual(['ada@example.com'])
    expect(mail!.html).not.toMatch(/<script|<img|<b>/)
    expect(mail!.html).toContain('&lt;b&gt;B&lt;/b&gt;')
    expect(mail!.raw.length).toBeLessThan(12_000)
    expect(mail!.raw.split('\r\n').every((line) => line.length < 1_000)).toBe(true)
  })
})

describe('unsubscribing', () => {
  test('one request of the mail program turns off the mails of that member alone; looking does not', async () => {
    const { ada, bob, root, mailsAfter } = await newWorld()
    const tell = async () => {
      for (const { id } of [ada, bob]) await root.messages.createDirect({ member_id: id, content_markdown: 'Hi' })
    }
    await tell()
    const mails = await mailsAfter(6 * MINUTE)
    const mail = mails.find(({ to }) => to.includes('ada@example.com'))!
    expect(mail.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    const url = mail.headers.get('list-unsubscribe')!.slice(1, -1)
    const looked = await fetch(url)
    expect(await looked.text()).toContain('<button>Unsubscribe</button>')
    expect((await ada.me.getNotificationSettings()).mail).toBe('hourly')
    const done = await fetch(url, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('You are unsubscribed')])
    expect((await ada.me.getNotificationSettings()).mail).toBe('never')
    await tell()
    const later = await mailsAfter(6 * MINUTE)
    expect(later.flatMap(({ to }) => to)).toEqual(['bob@example.com'])
    expect(await (await fetch(`${url}x`, { method: 'POST' })).text()).toContain('no longer works')
  })
})
