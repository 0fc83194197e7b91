import { InputRule, inputRules, textblockTypeInputRule, wrappingInputRule } from 'prosemirror-inputrules'
import type { MarkType, Node } from 'prosemirror-model'
import { type EditorState, Selection } from 'prosemirror-state'
import { createTable } from './commands'
import { schema } from './schema'

const { nodes, marks } = schema

/** Text between markers: the markers go, and the text gets the mark. The first group is what stands before them. */
function markRule(pattern: RegExp, type: MarkType): InputRule {
  return new InputRule(
    pattern,
    (state, match, start, end) => {
      const [whole, before, text] = match as unknown as [string, string, string]
      const from = start + before.length
      if (!canMark(state, from, end)) return null
      const { tr } = state
      const open = whole.indexOf(text, before.length) - before.length
      const textStart = from + open
      const textEnd = textStart + text.length
      if (textEnd < end) tr.delete(textEnd, end)
      tr.delete(from, textStart)
      tr.addMark(from, from + text.length, type.create())
      return tr.removeStoredMark(type)
    },
    { inCodeMark: false },
  )
}

const canMark = (state: EditorState, from: number, to: number) => !state.doc.rangeHasMark(from, to, marks.code)

const isAtEnd = ({ doc }: EditorState, end: number) =>
  doc.resolve(end).parentOffset === doc.resolve(end).parent.content.size

const [start, end] = [String.raw`(^|[\s([{"'\ufffc])`, '$']

/** Markdown that is typed becomes what it means. Backspace right after makes it text again. */
export const markdownRules = () =>
  inputRules({
    rules: [
      textblockTypeInputRule(/^(#{1,6})\s$/, nodes.heading, (match) => ({ level: match[1]!.length })),
      wrappingInputRule(/^\s*>\s$/, nodes.blockquote),
      wrappingInputRule(
        /^(\d{1,9})[.)]\s$/,
        nodes.ordered_list,
        (match) => ({ start: Number(match[1]) }),
        (match, node) => node.childCount + node.attrs.start === Number(match[1]),
      ),
      wrappingInputRule(/^\s*[-+*]\s$/, nodes.bullet_list),
      boxRule,
      textblockTypeInputRule(/^(?:```|~~~)([\w+#-]*)\s$/, nodes.code_block, (match) => ({ info: match[1] })),
      new InputRule(/^(?:---|___|\*\*\*)$/, (state, _, from, to) => {
        const $at = state.doc.resolve(from)
        if ($at.parent.type !== nodes.paragraph || !isAtEnd(state, to)) return null
        return state.tr.delete(from, to).insert($at.before(), nodes.rule.create())
      }),
      new InputRule(/^\|((?:[^|]*\|)+)$/, tableRule),
      markRule(new RegExp(String.raw`${start}\*\*([^\s*](?:[^*]*[^\s*])?)\*\*${end}`), marks.strong),
      markRule(new RegExp(String.raw`${start}__([^\s_](?:[^_]*[^\s_])?)__${end}`), marks.strong),
      markRule(new RegExp(String.raw`${start}\*([^\s*](?:[^*]*[^\s*])?)\*${end}`), marks.em),
      markRule(new RegExp(String.raw`${start}_([^\s_](?:[^_]*[^\s_])?)_${end}`), marks.em),
      markRule(new RegExp(String.raw`${start}~~([^\s~](?:[^~]*[^\s~])?)~~${end}`), marks.del),
      markRule(new RegExp(String.raw`(^|[^\x60])\x60([^\x60\ufffc]+)\x60${end}`), marks.code),
      new InputRule(
        /(^|[^!])\[([^\]\ufffc]+)\]\(((?:https?:|mailto:|\/)[^\s)\ufffc]*)\)$/,
        (state, match, from, to) => {
          const [, before, text, href] = match as unknown as [string, string, string, string]
          return state.tr
            .replaceWith(from + before.length, to, schema.text(text, [marks.link.create({ href })]))
            .removeStoredMark(marks.link)
        },
        { inCodeMark: false },
      ),
    ],
  })

/** `[ ] ` makes an item of a checklist, in a list or without one. */
const boxRule = new InputRule(/^\s*\[([ xX]?)\]\s$/, (state, match, from, to) => {
  const $at = state.doc.resolve(from)
  const isChecked = match[1] === 'x' || match[1] === 'X'
  const item = $at.node(-1) as Node | undefined
  if ($at.parent.type !== nodes.paragraph) return null
  const { tr } = state
  tr.delete(from, to)
  if (item?.type === nodes.list_item && $at.index(-1) === 0)
    return tr.setNodeMarkup($at.before(-1), null, { isChecked })
  const range = tr.doc.resolve(from).blockRange()
  return range ? tr.wrap(range, [{ type: nodes.bullet_list }, { type: nodes.list_item, attrs: { isChecked } }]) : null
})

/** `|a|b|` and Enter or a space would be too early: a line of bars alone makes a table. */
function tableRule(state: EditorState, match: RegExpMatchArray, from: number, to: number) {
  const $at = state.doc.resolve(from)
  const columns = match[1]!.split('|').length - 1
  if (
    $at.parent.type !== nodes.paragraph ||
    !isAtEnd(state, to) ||
    columns < 2 ||
    match[1]!.replace(/[|\s]/g, '') !== ''
  )
    return null
  if ($at.node(-1).type !== nodes.doc && $at.node(-1).type !== nodes.list_item) return null
  const tr = state.tr.replaceWith($at.before(), $at.after(), createTable(2, columns))
  return tr.setSelection(Selection.near(tr.doc.resolve($at.before() + 1)))
}
