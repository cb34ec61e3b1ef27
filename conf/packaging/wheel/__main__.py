from syncfree import plugin

print("-dll_append", plugin)
