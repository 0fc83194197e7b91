import { useMutation } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useMe } from '../../data/me'
import { finishSetup, useSetupState } from '../../data/workspace'
import { Button } from '../../parts/button'
import { notifyProblem } from '../../parts/notices'
import { paths } from '../../paths'
import { SetupCard, Step } from './setup-card'

interface Task {
  title: string
  hint: string
  to: string
  isDone: boolean
}

/** What an admin does first in a new workspace. Each step links to where it is done. */
export default function Checklist() {
  const { workspace } = useMe()
  const state = useSetupState()
  const finish = useMutation({
    mutationFn: finishSetup,
    onError: (error) => notifyProblem('The checklist is still there.', error),
  })
  if (!state) return null
  const steps: Task[] = [
    {
      title: 'Name your workspace',
      hint: 'Add an icon, too, so that everyone knows where they are.',
      to: paths.settings('workspace'),
      isDone: state.isNamed,
    },
    {
      title: 'Set a password',
      hint: 'Without one, you need a new link each time you sign in.',
      to: paths.settings('security'),
      isDone: state.hasPassword,
    },
    {
      title: 'Invite your team',
      hint: 'Each person gets a sign-in link of their own.',
      to: paths.invite,
      isDone: state.hasInvited,
    },
    {
      title: 'Create a channel',
      hint: 'One for each project, team or topic.',
      to: paths.newChannel,
      isDone: state.hasChannel,
    },
  ]
  const done = steps.filter(({ isDone }) => isDone).length
  const isAllDone = done === steps.length
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <SetupCard
      title={isAllDone ? 'You’re all set' : `Set up ${workspace.name}`}
      text={isAllDone ? 'Your workspace is ready.' : 'Four things to begin with; each can wait.'}
      done={done}
      of={steps.length}
      close={
        isAllDone ? (
          <Button variant="primary" disabled={finish.isPending} onClick={() => finish.mutate()}>
            Done
          </Button>
        ) : (
          <Button
            icon="close"
            variant="plain"
            label="Dismiss checklist"
            disabled={finish.isPending}
            onClick={() => finish.mutate()}
          />
        )
      }
    >
      {steps.map(({ title, hint, to, isDone }, at) => (
        <Step
          key={title}
          number={at + 1}
          isDone={isDone}
          isCurrent={title === next?.title}
          title={isDone ? title : <Link href={to}>{title}</Link>}
          text={isDone ? undefined : hint}
        />
      ))}
    </SetupCard>
  )
}
