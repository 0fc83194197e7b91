import { describe, expect } from 'bun:test'
import { world } from '../world'
import { holdTimers, openPage, test, waitForVisible } from './browser'

describe('code blocks', () => {
  test('are coloured and copied; markup in them stays text, and large ones stay plain', async () => {
    const cast = await world()
    const hostile = '<img src=x onerror="document.title=1"> </span><script>document.title = 2</script> &lt;b&gt;'
    const large = 'const a = 1\n'.repeat(8_000)
    const blocks = [`\`\`\`ts\nconst a = '1'\n\`\`\``, `\`\`\`html\n${hostile}\n\`\`\``, `\`\`\`js\n${large}\`\`\``]
    const content_markdown = [...blocks, '```unknown\nplain\n```', '```\nplain\n```'].join('\n\n')
    const post = await cast.ada.posts.create({ channel_id: cast.general.id, title: 'Code', content_markdown })
    const page = await openPage(cast, cast.ada, `/posts/${post.id}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const code = page.getByRole('article', { name: 'Post' }).locator('pre > code')
    await waitForVisible(code.first().locator('.hljs-keyword').getByText('const'))
    await waitForVisible(code.nth(1).locator('.hljs-name').first())
    expect(await code.nth(1).textContent()).toBe(`${hostile}\n`)
    expect(await code.nth(1).locator(':not(span)').count()).toBe(0)
    for (const at of [2, 3, 4]) expect(await code.nth(at).locator('span').count()).toBe(0)

    const copy = page.getByRole('article', { name: 'Post' }).getByRole('button', { name: 'Copy code' })
    expect(await copy.count()).toBe(5)
    await holdTimers(page, 2_000)
    await copy.nth(1).focus()
    await page.keyboard.press('Enter')
    await waitForVisible(page.getByRole('button', { name: 'Copied' }))
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${hostile}\n`)
  })
})
