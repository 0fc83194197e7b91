import { setTheme, type Theme, useTheme } from '../../data/theme'
import { Check } from '../../parts/check'

const themes: [Theme, string, string][] = [
  ['system', 'As the system', 'Light by day and dark by night, if your system does so.'],
  ['light', 'Light', 'Dark words on a light ground.'],
  ['dark', 'Dark', 'Light words on a dark ground.'],
]

/** The theme, stored in this browser. */
export function AppearanceSection() {
  const chosen = useTheme()
  return (
    <fieldset className="choices">
      <legend>Light or dark</legend>
      {themes.map(([theme, label, hint]) => (
        <Check
          key={theme}
          type="radio"
          name="theme"
          label={label}
          hint={hint}
          checked={theme === chosen}
          onChange={() => setTheme(theme)}
        />
      ))}
      <p className="meta">This is kept in this browser.</p>
    </fieldset>
  )
}
