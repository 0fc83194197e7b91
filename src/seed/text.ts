import { toHtml } from '../domain/markdown'
import type { Text } from '../store/seed/posts'
import type { Random } from './random'

/** Rendering costs more than everything else about a post, so each distinct piece is rendered once. */
export function openText() {
  const known = new Map<string, Map<string, Text>>()
  return function text(template: string, topic: string): Text {
    const ofTemplate = known.getOrInsertComputed(template, () => new Map())
    return ofTemplate.getOrInsertComputed(topic, () => {
      const markdown = template.replaceAll('{topic}', topic)
      return { markdown, html: toHtml(markdown) }
    })
  }
}

export type Texts = ReturnType<typeof openText>

/** Joins pieces. They are separate blocks, so their HTML can be joined, too. */
export function joinPieces(pieces: readonly Text[]): Text {
  let { markdown, html } = pieces[0]!
  for (let at = 1; at < pieces.length; at++) {
    markdown += `\n\n${pieces[at]!.markdown}`
    html += `\n${pieces[at]!.html}`
  }
  return { markdown, html }
}

/** A paragraph of letters, digits and full stops, which need no escaping in Markdown or HTML. */
export const paragraph = (plain: string): Text => ({ markdown: plain, html: `<p>${plain}</p>` })

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']

/** Replaces the placeholders of a template. */
export function fillTemplate(random: Random, template: string, topic: string): string {
  const parts = known.getOrInsertComputed(template, () => template.split(/[{}]/))
  let text = parts[0]!
  for (let at = 1; at < parts.length; at += 2)
    text += fillings[parts[at] as keyof typeof fillings](random, topic) + parts[at + 1]!
  return text
}

/** Split templates: every second part is the name of a placeholder. */
const known = new Map<string, string[]>()

const fillings = {
  topic: (_: Random, topic: string) => topic,
  day: (random: Random) => random.pick(DAYS),
  time: (random: Random) => `${random.between(8, 17)}:${random.pick(['00', '15', '30', '45'])}`,
  number: (random: Random) => String(random.between(3, 900)),
  version: (random: Random) => `${random.between(1, 6)}.${random.between(0, 30)}.${random.between(0, 9)}`,
  ticket: (random: Random) => `${random.pick(['OPS', 'WEB', 'TEAM', 'DOC'])}-${random.between(100, 9999)}`,
}

export const capitalised = (text: string) => text[0]!.toUpperCase() + text.slice(1)
