import { describe, expect, test } from 'bun:test'
import { toHtml } from '../../../src/domain/markdown'
import { fromMrkdwn, fromPlain } from '../../../src/domain/payloads/slack-mrkdwn'
import { cpuTime } from '../../cpu-time'

/** The HTML that mrkdwn is shown as, without the attributes of links that all have. */
const shown = (mrkdwn: string) =>
  toHtml(fromMrkdwn(mrkdwn))
    .replace(/ rel="[^"]*"/g, '')
    .trim()
const paragraph = (html: string) => `<p>${html}</p>`

describe('mrkdwn', () => {
  test.each([
    ['*bold* _italic_ ~struck~ `code`', '<strong>bold</strong> <em>italic</em> <del>struck</del> <code>code</code>'],
    ['*bold _and italic_*', '<strong>bold <em>and italic</em></strong>'],
    ['*_both_*', '<em><strong>both</strong></em>'],
    ['**bold as in Markdown**', '<strong>bold as in Markdown</strong>'],
    ['snake_case_name and 2 * 3 * 4 ~ 5', 'snake_case_name and 2 * 3 * 4 ~ 5'],
    ['a * b and *c', 'a * b and *c'],
    ['*"quoted"*, (_so_)', '<strong>"quoted"</strong>, (<em>so</em>)'],
    ['`*not bold*`', '<code>*not bold*</code>'],
    ['`a &lt;b&gt;`', '<code>a &lt;b&gt;</code>'],
    ['&lt;b&gt; &amp;amp; AT&amp;T', '&lt;b&gt; &amp;amp; AT&amp;T'],
    ['<b>bold</b> <script>alert(1)</script>', '&lt;b&gt;bold&lt;/b&gt; &lt;script&gt;alert(1)&lt;/script&gt;'],
    ['<https://example.com/a_b_c>', '<a href="https://example.com/a_b_c">https://example.com/a_b_c</a>'],
    ['<https://example.com/?a=1&amp;b=2|the *page*>', '<a href="https://example.com/?a=1&amp;b=2">the *page*</a>'],
    ['*<https://example.com|page>*', '<strong><a href="https://example.com">page</a></strong>'],
    ['<https://example.com/(x)|x>', '<a href="https://example.com/%28x%29">x</a>'],
    ['[page](https://example.com)', '<a href="https://example.com">page</a>'],
    ['![alt](x) [a]: b', '![alt](x) [a]: b'],
    ['<mailto:ada@example.com|Ada>', '<a href="mailto:ada@example.com">Ada</a>'],
    ['<javascript:alert(1)|click>', '&lt;javascript:alert(1)|click&gt;'],
    ['*https://example.com/x*', '<strong><a href="https://example.com/x">https://example.com/x</a></strong>'],
    ['<@U024BE7LH> <@U1|ada> <#C1|general> <!here> <!subteam^S1|@ops>', '@U024BE7LH @ada #general @here @ops'],
    ['<!date^1392734382^{date}|Feb 18, 2014>', 'Feb 18, 2014'],
    [':rotating_light: :unknown_code: 12:30:45', '🚨 :unknown_code: 12:30:45'],
    ['# no heading', '# no heading'],
    ['#123 is fixed', '#123 is fixed'],
    ['a | b\n--- | ---', 'a | b<br />\n--- | ---'],
    ['text\n---', 'text<br />\n---'],
    ['text\n===', 'text<br />\n==='],
    ['    not code', 'not code'],
    ['a\nb', 'a<br />\nb'],
    ['***', '***'],
    ['C:\\path \\n', 'C:\\path \\n'],
    ['`List<int> <https://example.com|page> <@U1>`', '<code>List&lt;int&gt; page @U1</code>'],
    ['http://a.example/?b&copy;c', '<a href="http://a.example/?b&amp;copy;c">http://a.example/?b&amp;copy;c</a>'],
    ['<http://a.example/?b&copy;c|x>', '<a href="http://a.example/?b&amp;copy;c">x</a>'],
  ])('%s', (mrkdwn, html) => expect(shown(mrkdwn)).toBe(paragraph(html)))

  test('lists, quotations and code', () => {
    expect(shown('Values:\n• one\n• *two*\nDone')).toBe(
      '<p>Values:</p>\n<ul>\n<li>one</li>\n<li><strong>two</strong></li>\n</ul>\n<p>Done</p>',
    )
    expect(shown('&gt; quoted\nnot')).toBe('<blockquote>\n<p>quoted</p>\n</blockquote>\n<p>not</p>')
    expect(shown('>>> all\nof it')).toBe('<blockquote>\n<p>all<br />\nof it</p>\n</blockquote>')
    expect(shown('>>> # all\n- of it')).toBe('<blockquote>\n<p># all<br />\n- of it</p>\n</blockquote>')
    expect(shown('see ```a &lt; b\n*c*``` there')).toBe(
      '<p>see</p>\n<pre><code>a &lt; b\n*c*\n</code></pre>\n<p>there</p>',
    )
    expect(shown('an open ```fence')).toBe('<p>an open ```fence</p>')
  })

  test('a mention of a member of Parley is one', () => {
    const mention = `<@mem_${'0'.repeat(26)}>`
    expect(fromMrkdwn(`Hi ${mention}`)).toBe(`Hi ${mention}`)
    expect(fromPlain(`Hi ${mention}`)).not.toContain(mention)
  })

  test('plain text is shown as it is, with emoji', () => {
    expect(toHtml(fromPlain('*a* <b>\n# c :tada:')).trim()).toBe('<p>*a* &lt;b&gt;<br />\n# c 🎉</p>')
  })

  test.each([
    '*',
    '_',
    '~',
    '`',
    '<',
    '>',
    '[',
    '<a|',
    '**a',
    ':a',
    '&lt;',
    '\n> ',
    '\n• ',
    '```',
    'http://',
    'http://*',
    '[a](http',
    '<http://a|',
    '- ',
    '\\',
  ])('%p a hundred thousand times takes a moment', (piece) => {
    expect(cpuTime(() => fromMrkdwn(piece.repeat(100_000)))).toBeLessThan(2_000)
  })
})
