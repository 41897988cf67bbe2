# formula_test.rb FORMULA: evaluates the formula like Homebrew, once for each system, and prints a
# line "SYSTEM PROCESSOR URL SHA256", then the files that `install` would install.
class Formula
  @facts = {}
  class << self
    attr_reader :facts

    def inherited(formula) = formula.instance_variable_set(:@facts, {})
    %i[desc homepage version license url sha256].each do |name|
      define_method(name) do |value|
        raise "#{name} twice" if @facts.key?(name)

        @facts[name] = value
      end
    end
    { macos: :os, linux: :os, arm: :cpu, intel: :cpu }.each do |name, kind|
      define_method("on_#{name}") { |&block| block.call if $machine[kind] == name }
    end
    def test(&block) = @facts[:test] = block
  end

  # A destination folder.
  Place = Struct.new(:name) do
    def install(*things)
      things.each { |thing| puts "install #{name}: #{thing.is_a?(Hash) ? thing.to_a.join(' as ') : thing}" }
    end
  end
  %i[bin man1 bash_completion zsh_completion fish_completion].each do |name|
    define_method(name) { Place.new(name) }
  end
end

%i[macos linux].product(%i[arm intel]).each do |os, cpu|
  $machine = { os: os, cpu: cpu }
  Object.send(:remove_const, :KubectlDsdoctor) if defined?(KubectlDsdoctor)
  load File.expand_path(ARGV.fetch(0))
  facts = KubectlDsdoctor.facts
  puts [os, cpu, facts[:version], facts[:url], facts[:sha256]].join(" ")
  abort "no test" unless facts[:test]
  abort "desc: #{facts[:desc]}" if facts[:desc].length > 80 || facts[:desc].match?(/\.\z|\A(an?|the) /i)
end
KubectlDsdoctor.new.install
