# What may come next on a command line of @program@. In the file that $PROFILE names:
#
#   @program@ completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName '@quoted@' -ScriptBlock {
    param($word, $ast, $cursor)
    $program, $before = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.ToString() })
    if (-not $program) { return }
    # Where there is no word for it, PowerShell offers files by itself.
    & $program completion words "--word=$word" '--' @before 2>$null | Select-Object -Skip 1 | ForEach-Object {
        $value, $about = $_ -split "`t", 2
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
    }
}
