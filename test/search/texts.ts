import type { Random } from '../random-writes'

/** Few words of each script, so that most of them are in many texts. */
const spaced: Record<string, readonly string[]> = {
  latin: 'café naïve Zürich Straße Ångström señor garçon cafés caf plan planning PLAN re-plan x1 2026'.split(' '),
  more: 'İstanbul ﬁnd œuvre façade Dvořák smørrebrød łódź Wi-Fi v2.10 don’t e\u0301cole ｆｕｌｌ'.split(' '),
  cyrillic: 'ёлка елка вечер йод Київ план планы Москва её ещё'.split(' '),
  greek: 'Ὀδυσσεύς λόγος λόγοι σοφός ΣΟΦΟΣ άνθρωπος και'.split(' '),
  arabic: 'السَّلام السلام عليكم كتاب كتـــاب مدرسة قلم'.split(' '),
  hebrew: 'שָׁלוֹם שלום עולם ספר בית ירושלים'.split(' '),
  devanagari: 'नमस्ते दुनिया हिन्दी हिंदी किताब की कि'.split(' '),
  korean: '한국어 한국어를 한국 안녕하세요 서울 서울에서 사람'.split(' '),
  emoji: '👍 👍🏽 🎉 👩‍💻 ❤️ 🇩🇪 🇫🇷 🚀'.split(' '),
}

/** Scripts without spaces: pieces follow each other. */
const unspaced: Record<string, readonly string[]> = {
  thai: ['สวัสดี', 'ชาวโลก', 'กิน', 'ข้าว', 'แล้ว', 'กรุงเทพ', 'น้ำ', 'ไป'],
  chinese: ['東京', '京都', '北京', '大學', '大学', '生活', '的', '今天', '天氣', '学生', '𠮷野'],
  japanese: ['東京', 'カフェ', 'ｶﾞｽ', 'ガス', 'です', 'は', 'がくせい', 'かくせい', '学生', 'コーヒー', 'ー'],
}

const scripts = [...Object.keys(spaced), ...Object.keys(unspaced), 'mixed']
const everyWord = [...Object.values(spaced), ...Object.values(unspaced)].flat()
const repeat = <T>(times: number, make: () => T): T[] => Array.from({ length: times }, make)

/** A text of one script, or of several. */
export function randomText(random: Random, maxWords: number): string {
  const script = random.pick(scripts)
  const length = 1 + random.below(maxWords)
  const pieces = unspaced[script]
  if (pieces)
    return repeat(length, () => random.pick(pieces) + random.pick(['', '', '', '、', ' ']))
      .join('')
      .trim()
  const words = spaced[script] ?? everyWord
  return repeat(length, () => random.pick(words) + random.pick(['', '', '', ',', '!'])).join(' ')
}

/** Some of it is in no text, or in another case or form. */
const absent = ['zzz', 'нету', '犬猫', 'ไม่มี', 'caff', 'planx', '👎']

/** Words of several parts. */
const joined = ['v2.10', 'Wi-Fi', 're-plan', 'don’t']

const slice = (text: string, random: Random, max: number) => {
  const characters = [...text]
  const start = random.below(characters.length)
  return characters.slice(start, start + 1 + random.below(max)).join('')
}

const otherForm = (text: string, random: Random) =>
  random.pick([text, text, text.toUpperCase(), text.toLowerCase(), text.normalize('NFD'), text.normalize('NFKC')])

const phrase = (text: string, random: Random) => {
  const words = text.split(' ')
  const start = random.below(words.length)
  return `"${words.slice(start, start + 2 + random.below(3)).join(' ')}"`
}

/** One thing to look for, made from the texts. */
const kinds: ((text: string, random: Random) => string)[] = [
  (_, random) => random.pick(everyWord),
  (text, random) => random.pick(text.split(' ')),
  (text, random) => slice(text.replaceAll(' ', ''), random, 4).replace(/^[-"]/, ''),
  phrase,
  phrase,
  (_, random) => `"${random.pick(everyWord)} ${random.pick(everyWord)}"`,
  (_, random) => `${slice(random.pick(everyWord), random, 3)}*`,
  (text, random) => `${[...text.split(' ')[0]!].slice(0, 1 + random.below(4)).join('')}*`,
  (_, random) => `${random.pick(joined).slice(0, 2 + random.below(4))}*`,
  (_, random) => random.pick(absent),
]

/** The words of a random query. */
export function randomWords(random: Random, texts: readonly string[]): string[] {
  return repeat(random.pick([0, 1, 1, 1, 1, 2, 2, 3]), () => {
    const piece = otherForm(random.pick(kinds)(random.pick(texts), random), random)
    return `${random.pick(['', '', '', '', '-'])}${random.pick(['', '', '', '', '', 'title:'])}${piece}`
  }).filter((piece) => !piece.endsWith(':') && piece !== '-')
}
