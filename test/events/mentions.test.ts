import { describe, expect, test } from 'bun:test'
import type { EventData } from '../../src/contract/events'
import { mentionsIn, toHtml } from '../../src/domain/markdown'
import { author } from '../expectations'
import { type Person, type World, world } from '../world'
import { allEvents } from './log'

const id = `mem_${'0'.repeat(26)}`
const known = new Map([[id, { name: 'Ada', href: 'https://parley.test/people/1' }]])
const LINK = '<a class="mention" href="https://parley.test/people/1" rel="nofollow noopener noreferrer">@Ada</a>'

describe('a mention', () => {
  test.each([
    ['in a sentence', `Hi <@${id}>!`],
    ['alone', `<@${id}>`],
    ['in bold', `**<@${id}>**`],
    ['in a list', `- one\n- <@${id}>`],
    ['in a heading', `# For <@${id}>`],
    ['in a quotation', `> <@${id}>`],
    ['in a table', `| a |\n|---|\n| <@${id}> |`],
    ['right after a letter', `cc:<@${id}>`],
    ['after a code span', `\`x\` <@${id}>`],
  ])('%s is shown as the name, with a link', (_, markdown) => {
    expect(mentionsIn(markdown)).toEqual([id])
    expect(toHtml(markdown, known)).toContain(LINK)
  })

  test.each([
    ['a code span', `\`<@${id}>\``],
    ['a code span with two ticks', `\`\` <@${id}> \`\``],
    ['a block of code', `\`\`\`\n<@${id}>\n\`\`\``],
    ['an indented block', `Text\n\n    <@${id}>\n`],
    ['the URL of a link', `[here](<@${id}>)`],
    ['the title of a link', `[here](https://example.com "<@${id}>")`],
    ['an escaped bracket', `\\<@${id}>`],
    ['half of it', `<@${id}`],
    ['a space in it', `<@ ${id}>`],
    ['another kind of id', `<@post_${'0'.repeat(26)}>`],
    ['too long an id', `<@${id}0>`],
  ])('is not made of %s', (_, markdown) => {
    expect(mentionsIn(markdown)).toEqual([])
    expect(toHtml(markdown, known)).not.toContain('class="mention"')
  })

  test.each(['channel', 'here'])('of @%s is shown without a link', (who) => {
    const everyone = new Map([[who, { name: who, href: undefined }]])
    expect(mentionsIn(`**<@${who}>** <@${who}>, \`<@${who}>\` \\<@${who}> <@${who}s>`)).toEqual([who])
    expect(toHtml(`Hi <@${who}>!`, everyone)).toBe(`<p>Hi <span class="mention">@${who}</span>!</p>`)
    expect(toHtml(`[see <@${who}>](https://example.com)`, everyone)).not.toContain('class="mention"')
    expect(toHtml(`Hi <@${who}>!`)).toBe(`<p>Hi @${who}!</p>`)
  })

  test('of a group is shown as its name, with a link', () => {
    const group = `group_${'0'.repeat(26)}`
    const groups = new Map([[group, { name: 'design', href: 'https://parley.test/groups/1' }]])
    expect(mentionsIn(`<@${group}>`)).toEqual([group])
    expect(toHtml(`<@${group}>`, groups)).toContain('href="https://parley.test/groups/1"')
  })

  test('of an unknown id is shown as text', () => {
    expect(toHtml(`Hi <@${id}>`)).toBe(`<p>Hi &lt;@${id}&gt;</p>`)
  })

  test('inside a link is not another link', () => {
    const html = toHtml(`[see <@${id}>](https://example.com)`, known)
    expect(html.match(/<a /g)).toHaveLength(1)
    expect(html).toContain('see @Ada</a>')
    expect(mentionsIn(`[see <@${id}>](https://example.com)`)).toEqual([id])
  })

  test.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '**x**',
    '[x](javascript:1)',
    '<@mem_1>',
    '&lt;',
    "' onclick='1",
  ])('of someone who is called %p is harmless', (name) => {
    const html = toHtml(`Hi <@${id}>`, new Map([[id, { name, href: 'https://parley.test/"x"' }]]))
    expect(html).not.toMatch(/<(script|img|strong)|onclick="|onerror="/)
    expect(html.match(/<a /g)).toHaveLength(1)
    const shown = html.replace(/^.*?@|<\/a>.*$/g, '')
    const escaped = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    expect([escaped, escaped.replaceAll('"', '&quot;')]).toContain(shown)
  })
})

describe('raw HTML that looks like a mention', () => {
  const fake = '<a class="mention" href="https://evil.example">@Root Admin</a>'

  test('is shown as text', async () => {
    const cast = await world()
    const { ada, bot } = cast
    const { content, id } = await post(ada, cast, `${fake} <@${bot.id}>`)
    expect(content.match(/class="mention" href="[^"]*"/g)).toEqual([
      'class="mention" href="https://evil.example"',
      `class="mention" href="${cast.baseUrl}/"`,
    ])
    expect(content).toStartWith('<p>&lt;a class="mention"')
    const comment = await ada.comments.create({ post_id: id, content_markdown: fake })
    const message = await ada.messages.createDirect({ member_id: cast.bob.id, content_markdown: fake })
    const { resolution } = await ada.posts.resolve({ post_id: id, content_markdown: fake })
    for (const html of [comment.content, message.content, resolution!.resolved_html]) expect(html).not.toContain('<a')
  })
})

const mentioned = async (who: Person) =>
  (await allEvents(who)).flatMap((event) =>
    event.type === 'app.mentioned' ? [event.data as EventData<'app.mentioned'>] : [],
  )

const post = (who: Person, { general }: World, content_markdown: string) =>
  who.posts.create({ channel_id: general.id, content_markdown })

describe('app.mentioned', () => {
  test('is sent for posts, comments and messages, with their content', async () => {
    const cast = await world()
    const { ada, bot, root } = cast
    const text = `Look, <@${bot.id}>`
    const inPost = await post(ada, cast, text)
    const inComment = await ada.comments.create({ post_id: inPost.id, content_markdown: text })
    const thread = await ada.threads.create({ member_ids: [bot.id] })
    const inMessage = await ada.messages.create({ thread_id: thread.id, content_markdown: text })
    const app = author(bot, 'Bot', 'app')
    expect(await mentioned(bot)).toEqual([
      { app, subject_type: 'post', subject: inPost },
      { app, subject_type: 'comment', subject: inComment },
      { app, subject_type: 'message', subject: inMessage },
    ])
    expect((await mentioned(root)).map(({ subject_type }) => subject_type)).toEqual(['post', 'comment'])
    expect(inPost.content).toMatch(/^<p>Look, <a class="mention" href="[^"]+" rel="[^"]+">@Bot<\/a><\/p>$/)
    expect(inPost.title).toBe('Look, @Bot')
  })

  test('is sent once for each app', async () => {
    const cast = await world()
    const { ada, bot, root } = cast
    const other = await root.apps.create({ name: 'Other' })
    await post(ada, cast, `<@${bot.id}> <@${other.id}> <@${bot.id}>`)
    expect((await mentioned(bot)).map(({ app }) => app.id).toSorted()).toEqual([bot.id, other.id].toSorted())
  })

  test('is sent on an edit only for newly mentioned apps', async () => {
    const cast = await world()
    const { ada, bot, root } = cast
    const other = await root.apps.create({ name: 'Other' })
    const { id } = await post(ada, cast, `<@${bot.id}>`)
    await ada.posts.update({ id, content_markdown: `<@${bot.id}> again` })
    await ada.posts.update({ id, content_markdown: `<@${bot.id}> and <@${other.id}>` })
    await ada.posts.update({ id, title: 'Only the title' })
    expect((await mentioned(bot)).map(({ app }) => app.id)).toEqual([bot.id, other.id])
  })

  test('is not sent to apps that cannot see the channel', async () => {
    const { root, bot } = await world()
    const secret = await root.channels.create({ name: 'secret', private: true })
    await root.posts.create({ channel_id: secret.id, content_markdown: `<@${bot.id}>` })
    await root.channels.addMember({ channel_id: secret.id, member_id: bot.id })
    const heard = await root.posts.create({ channel_id: secret.id, content_markdown: `<@${bot.id}>` })
    expect((await mentioned(root)).map(({ subject }) => subject.id)).toEqual([heard.id])
    expect((await mentioned(bot)).map(({ subject }) => subject.id)).toEqual([heard.id])
  })

  test('is not sent in a thread the app is not in', async () => {
    const { ada, bob, bot } = await world()
    const thread = await ada.threads.create({ member_ids: [bob.id] })
    await ada.messages.create({ thread_id: thread.id, content_markdown: `<@${bot.id}>` })
    expect(await mentioned(ada)).toEqual([])
  })

  test('is not sent for members, deleted apps, unknown ids and other workspaces', async () => {
    const cast = await world()
    const { root, ada, bob, bot, zed } = cast
    const gone = await root.apps.create({ name: 'Gone' })
    await root.apps.delete({ id: gone.id })
    const away = await zed.apps.create({ name: 'Away' })
    const ids = [bob.id, gone.id, away.id, `app_${'0'.repeat(26)}`]
    const { content } = await post(ada, cast, ids.map((each) => `<@${each}>`).join(' '))
    expect(await mentioned(bot)).toEqual([])
    expect(content.match(/class="mention"/g)).toHaveLength(1)
    for (const each of ids.slice(1)) expect(content).toContain(`&lt;@${each}&gt;`)
  })

  test('does not let a guest learn who else is a member', async () => {
    const cast = await world()
    const { root, gus, bob, general, bot } = cast
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    await bob.channels.leave({ channel_id: general.id })
    const { content } = await post(gus, cast, `<@${bob.id}> <@${bot.id}> <@${root.id}>`)
    expect(content).not.toContain('Bob')
    expect(content).not.toContain('Bot')
    expect(content).toContain('@Root Admin')
    expect(await mentioned(bot)).toEqual([])
  })
})
