import * as Ariakit from '@ariakit/react'
import { Icon } from '../parts/icon'
import { MenuList } from '../parts/menu'

/** As people call them. Others can be named in Markdown. */
const LANGUAGES: Record<string, string> = {
  '': 'Plain text',
  bash: 'Bash',
  c: 'C',
  cpp: 'C++',
  csharp: 'C#',
  css: 'CSS',
  diff: 'Diff',
  go: 'Go',
  xml: 'HTML, XML',
  java: 'Java',
  javascript: 'JavaScript',
  json: 'JSON',
  kotlin: 'Kotlin',
  markdown: 'Markdown',
  php: 'PHP',
  python: 'Python',
  ruby: 'Ruby',
  rust: 'Rust',
  shell: 'Shell session',
  sql: 'SQL',
  swift: 'Swift',
  typescript: 'TypeScript',
  yaml: 'YAML',
}
const ALIASES: Record<string, string> = {
  js: 'javascript',
  ts: 'typescript',
  sh: 'bash',
  html: 'xml',
  py: 'python',
  rb: 'ruby',
  yml: 'yaml',
  md: 'markdown',
  'c++': 'cpp',
  'c#': 'csharp',
  cs: 'csharp',
  rs: 'rust',
}

interface Props {
  info: string
  choose(language: string): void
  isReadOnly: boolean
}

/** The language of a code block, to be chosen. */
export function CodeLanguage({ info, choose, isReadOnly }: Props) {
  const name = info.split(/\s/)[0]!
  const known = ALIASES[name.toLowerCase()] ?? name.toLowerCase()
  const label = LANGUAGES[known] ?? name
  const menu = Ariakit.useMenuStore({ placement: 'bottom-end', values: { language: known } })
  return (
    <Ariakit.MenuProvider store={menu}>
      <Ariakit.MenuButton
        className="button plain code-language"
        aria-label={`Language: ${label}`}
        disabled={isReadOnly}
        accessibleWhenDisabled
      >
        {label}
        <Icon name="down" size={14} />
      </Ariakit.MenuButton>
      <MenuList label="Language" aria-label="Language" fixed fitViewport>
        {Object.entries(LANGUAGES).map(([value, text]) => (
          <Ariakit.MenuItemRadio
            key={value}
            name="language"
            value={value}
            className="menu-item choice"
            hideOnClick
            onClick={() => choose(value)}
          >
            <Ariakit.MenuItemCheck className="menu-check">
              <Icon name="check" />
            </Ariakit.MenuItemCheck>
            {text}
          </Ariakit.MenuItemRadio>
        ))}
      </MenuList>
    </Ariakit.MenuProvider>
  )
}
